/** `omnigent ps`, `logs`, `signal`. */
import { EXIT, SIGNALS, SandboxError } from '@omnigent/protocol';
import type { Process, SignalName } from '@omnigent/protocol';
import { renderAge, renderTable } from '../output/table.ts';
import { relayOutput } from '../run/relay-output.ts';
import { connect } from '../server-access/connect.ts';
import type { ServerFlags } from '../server-access/connect.ts';
import { addServerFlags } from './command-context.ts';
import type { RegisterCommand } from './command-context.ts';

function toState({ state, exit }: Process): string {
  if (state === 'running') return 'running';
  if (exit?.error !== null && exit?.error !== undefined) return `failed (${exit.error.code})`;
  return exit?.signal === null || exit === null
    ? `exited (${exit?.exit_code ?? '?'})`
    : `killed (${exit.signal})`;
}

/** `TERM`, `SIGTERM` and `15` are the same signal. */
function parseSignal(text: string): SignalName {
  const upper = text.toUpperCase();
  const name = Object.entries(SIGNALS).find(
    ([known, number]) => known === upper || known === `SIG${upper}` || String(number) === text,
  )?.[0];
  if (name === undefined)
    throw new SandboxError(
      'usage',
      `expected a signal such as TERM, SIGINT or 9, found ${JSON.stringify(text)}`,
    );
  return name as SignalName;
}

const LOGS_HELP = `
Shows what was printed as it was printed, stdout and stderr each to yours, and ends where the output is now; -f goes on to the
end of the process, as docker logs -f does, and past every interruption. Output is recorded for each process, so one is named,
also one that has ended. --since-offset counts bytes of the record, not time: omnigent ps --json shows where it begins and ends.
What a terminal drew is shown again as a whole; omnigent attach shows only what is on it now. The exit status is that of this
command, not of the process.
`;

const PS_HELP = `
Lists what was started by run, exec and shell, also what has ended, as docker ps -a lists containers; not every process of the
sandbox: for those use omnigent exec SANDBOX -- ps aux.
`;

const SIGNAL_HELP = `
The signal goes to the process and to everything that it started, also what left its process group; kill sends it to one. TERM,
SIGTERM and 15 are the same. A process that has ended is an error.
`;

interface LogsFlags extends ServerFlags {
  readonly follow?: boolean;
  readonly sinceOffset?: string;
}

function parseOffset(text: string | undefined): number {
  const offset = Number(text ?? 0);
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new SandboxError('usage', `--since-offset: expected a byte offset, found ${JSON.stringify(text)}`);
  return offset;
}

export const registerProcesses: RegisterCommand = (program, context) => {
  addServerFlags(program.command('ps'))
    .description('list the processes of a sandbox')
    .argument('<sandbox>', 'id or name')
    .option('--json', 'as JSON')
    .addHelpText('after', PS_HELP)
    .action(async (name: string, flags: ServerFlags & { readonly json?: boolean }) => {
      const client = await connect(flags, { environment: context.environment });
      const items = await (await client.get(name)).processes();
      if (flags.json === true) return context.writeOut(`${JSON.stringify({ items })}\n`);
      const rows = items.map((item) => [
        item.id,
        toState(item),
        renderAge(context.clock.now() - Date.parse(item.started_at)),
        item.argv.join(' ').slice(0, 80),
      ]);
      context.writeOut(renderTable(['ID', 'STATE', 'AGE', 'COMMAND'], rows));
    });

  addServerFlags(program.command('logs'))
    .description("show a process's recorded output")
    .argument('<sandbox>', 'id or name')
    .argument('<process>', 'process id')
    .option('-f, --follow', 'go on until the process has ended')
    .option('--since-offset <bytes>', 'begin at this byte of the log')
    .addHelpText('after', LOGS_HELP)
    .action(async (name: string, processId: string, flags: LogsFlags) => {
      const client = await connect(flags, { environment: context.environment });
      const running = (await client.get(name)).process(processId);
      const { output } = await running.read();
      await relayOutput(running, {
        offset: parseOffset(flags.sinceOffset),
        ...(flags.follow === true ? {} : { endOffset: output.end_offset }),
        onFirstOutput: () => undefined,
        onTruncated: () =>
          context.writeError('omnigent: output was truncated: its oldest part is no longer kept\n'),
      });
    });

  addServerFlags(program.command('signal'))
    .description('send a signal to a process and everything that it started')
    .argument('<sandbox>', 'id or name')
    .argument('<process>', 'process id')
    .argument('[signal]', 'such as TERM, INT, KILL', 'TERM')
    .addHelpText('after', SIGNAL_HELP)
    .action(async (...[name, processId, signal, flags]: [string, string, string, ServerFlags]) => {
      const parsed = parseSignal(signal);
      const client = await connect(flags, { environment: context.environment });
      await (await client.get(name)).process(processId).signal(parsed);
      context.setStatus(EXIT.ok);
    });
};
