/** `omnigent attach`: come back to a program, beside whoever else looks at it. */
import type { RunningProcess, SandboxHandle } from '@omnigent/client';
import { EXIT, SandboxError } from '@omnigent/protocol';
import type { Process } from '@omnigent/protocol';
import { Option } from 'commander';
import { connect } from '../server-access/connect.ts';
import type { ServerFlags } from '../server-access/connect.ts';
import { parseDetachKeys } from '../terminal/detach-keys.ts';
import { buildDetachKeysOption } from '../terminal/new-terminal.ts';
import { runTerminal } from '../terminal/run-terminal.ts';
import { addServerFlags } from './command-context.ts';
import type { CommandContext, RegisterCommand } from './command-context.ts';

interface AttachFlags extends ServerFlags {
  readonly take?: boolean;
  readonly stdin?: boolean;
  readonly detachKeys: string;
}

const HELP = `
Without a process, the only running one in a terminal is meant, else the only running one. A terminal comes with its screen;
without one, you see what comes from now on (omnigent logs shows what was). The exit status is the program's, 0 when you left it.

Several may look at one program, and one of them types: the first, until it leaves or another uses --take. With docker and kubectl
all keys are mixed. A terminal is left by the detach keys; without a terminal, Ctrl-C goes to the program and twice leaves it, as
in docker. Whoever only looks on (-n) leaves by Ctrl-C.
`;

async function attach(
  target: { readonly sandbox: string; readonly processId: string | undefined },
  flags: AttachFlags,
  context: CommandContext,
): Promise<number> {
  const detachKeys = parseDetachKeys(flags.detachKeys);
  const client = await connect(flags, { environment: context.environment, isStarting: false });
  const sandbox = await client.get(target.sandbox);
  const { program, hasTerminal } = await findProgram(sandbox, target.processId);
  const isFollowing = flags.stdin === false;
  const end = await runTerminal(program, {
    detachKeys,
    isTerminal: hasTerminal,
    hasInput: !isFollowing,
    attach: { mode: isFollowing ? 'follow' : flags.take === true ? 'take' : 'drive' },
    clock: context.clock,
    passesSignals: !isFollowing && !hasTerminal,
    note: (text) => context.writeError(`omnigent: ${text}\n`),
  });
  return 'status' in end ? end.status : EXIT.ok;
}

async function findProgram(
  sandbox: SandboxHandle,
  id: string | undefined,
): Promise<{ readonly program: RunningProcess; readonly hasTerminal: boolean }> {
  if (id !== undefined) {
    const program = sandbox.process(id);
    return { program, hasTerminal: (await program.read()).pty !== null };
  }
  const found = selectOnly(await sandbox.processes());
  return { program: sandbox.process(found.id), hasTerminal: found.pty !== null };
}

/** @throws SandboxError `process_not_found`, `usage` when there are several. */
function selectOnly(processes: readonly Process[]): Process {
  const running = processes.filter(({ state }) => state === 'running');
  const terminals = running.filter(({ pty }) => pty !== null);
  const [only, ...others] = terminals.length > 0 ? terminals : running;
  if (only === undefined) throw new SandboxError('process_not_found', 'no process runs in this sandbox');
  if (others.length === 0) return only;
  const names = [only, ...others].map(({ id, argv }) => `${id} (${argv.join(' ').slice(0, 40)})`);
  throw new SandboxError('usage', `expected the process to be named, found several: ${names.join(', ')}`);
}

export const registerAttach: RegisterCommand = (program, context) => {
  addServerFlags(program.command('attach'))
    .description('attach to a program: see its terminal or output, and type')
    .argument('<sandbox>', 'id or name')
    .argument('[process]', 'process id')
    .addOption(new Option('--take', 'type, whoever did before').conflicts('stdin'))
    .option('-n, --no-stdin', 'only look on')
    .addOption(buildDetachKeysOption())
    .addHelpText('after', HELP)
    .action(async (...[sandbox, processId, flags]: [string, string | undefined, AttachFlags]) =>
      context.setStatus(await attach({ sandbox, processId }, flags, context)),
    );
};
