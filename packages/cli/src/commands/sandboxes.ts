/** `omnigent ls`, `get`, `events`, `rm`. */
import { EXIT, hasCondition } from '@omnigent/protocol';
import type { Sandbox } from '@omnigent/protocol';
import { renderAge, renderTable } from '../output/table.ts';
import { connect } from '../server-access/connect.ts';
import type { ServerFlags } from '../server-access/connect.ts';
import { addServerFlags } from './command-context.ts';
import type { CommandContext, RegisterCommand } from './command-context.ts';

interface ListFlags extends ServerFlags {
  readonly json?: boolean;
}

function toStatus(sandbox: Sandbox): string {
  if (sandbox.deleting) return 'Terminating';
  if (hasCondition(sandbox.conditions, 'Finished'))
    return sandbox.diagnosis === null ? 'Finished' : `Failed (${sandbox.diagnosis.code})`;
  if (hasCondition(sandbox.conditions, 'Ready'))
    return sandbox.host.connected ? 'Ready' : 'Ready (host offline)';
  return sandbox.stage ?? 'provisioning';
}

async function list(flags: ListFlags, context: CommandContext): Promise<void> {
  const client = await connect(flags, { environment: context.environment });
  const items: Sandbox[] = [];
  for (let cursor: string | undefined, isDone = false; !isDone; ) {
    const page = await client.list(cursor === undefined ? {} : { cursor });
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
    isDone = cursor === undefined;
  }
  if (flags.json === true) return context.writeOut(`${JSON.stringify({ items })}\n`);
  const now = context.clock.now();
  const rows = items.map((item) => [
    item.id,
    item.name ?? '-',
    item.provider,
    toStatus(item),
    renderAge(now - Date.parse(item.created_at)),
    item.repositories.join(' '),
  ]);
  context.writeOut(renderTable(['ID', 'NAME', 'PROVIDER', 'STATUS', 'AGE', 'REPOSITORIES'], rows));
}

export const registerSandboxes: RegisterCommand = (program, context) => {
  addServerFlags(program.command('ls'))
    .description('list your sandboxes')
    .option('--json', 'as JSON')
    .action(async (flags: ListFlags) => await list(flags, context));

  addServerFlags(program.command('get'))
    .description('show everything that is known of a sandbox, as JSON')
    .argument('<sandbox>', 'id or name')
    .action(async (name: string, flags: ServerFlags) => {
      const client = await connect(flags, { environment: context.environment });
      context.writeOut(`${JSON.stringify((await client.get(name)).resource, undefined, 2)}\n`);
    });

  addServerFlags(program.command('events'))
    .description('follow the events of a sandbox until it is deleted, one JSON object a line')
    .argument('<sandbox>', 'id or name')
    .action(async (name: string, flags: ServerFlags) => {
      const client = await connect(flags, { environment: context.environment });
      const sandbox = await client.get(name);
      for await (const event of sandbox.events()) context.writeOut(`${JSON.stringify(event)}\n`);
    });

  addServerFlags(program.command('rm'))
    .description('terminate sandboxes and wait until nothing is left of them')
    .argument('<sandbox...>', 'ids or names')
    .action(async (names: string[], flags: ServerFlags) => {
      const client = await connect(flags, { environment: context.environment });
      const results = await Promise.all(
        names.map(async (name) => ({ name, isGone: await (await client.get(name)).terminate() })),
      );
      for (const { name, isGone } of results) context.writeOut(isGone ? `${name}\n` : '');
      for (const { name } of results.filter(({ isGone }) => !isGone))
        context.writeError(`omnigent: ${name} is still being removed; the server goes on\n`);
      context.setStatus(results.every(({ isGone }) => isGone) ? EXIT.ok : EXIT.failure);
    });
};
