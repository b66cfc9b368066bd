/** `omnigent run`: launch, run, stream, remove. */
import type { Client, RunningProcess, SandboxHandle } from '@omnigent/client';
import { EXIT, SandboxError, isSandboxError } from '@omnigent/protocol';
import type { CreateSandboxInput } from '@omnigent/protocol';
import { addSandboxFlags, buildCreateRequest, checkCreateRequest } from '../arguments/create-request.ts';
import type { SandboxFlags } from '../arguments/create-request.ts';
import { parseDuration } from '../arguments/flags.ts';
import { toErrorStatus } from '../exit/to-exit-status.ts';
import { Progress, resolveProgressMode } from '../output/progress.ts';
import { renderError } from '../output/render-error.ts';
import { listenForInterrupts, toInterruptStatus } from '../run/interrupts.ts';
import type { Interrupt } from '../run/interrupts.ts';
import { runProgram } from '../run/run-program.ts';
import { isInputGiven } from '../run/standard-input.ts';
import { connect } from '../server-access/connect.ts';
import type { ServerFlags } from '../server-access/connect.ts';
import { buildDetachKeysOption, openNewTerminal, prepareTerminal } from '../terminal/new-terminal.ts';
import type { PreparedTerminal } from '../terminal/new-terminal.ts';
import { buildTerminalEnvironment } from '../terminal/terminal-size.ts';
import { addServerFlags } from './command-context.ts';
import type { CommandContext, RegisterCommand } from './command-context.ts';

interface RunFlags extends ServerFlags, SandboxFlags {
  readonly keep?: boolean;
  readonly detach?: boolean;
  readonly timeout?: string;
  readonly interactive?: boolean;
  readonly stdin?: boolean;
  readonly tty?: boolean;
  readonly detachKeys: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const HELP = `
Standard output is the program's only; progress goes to standard error. The exit status is the program's;
125 when the sandbox could not be launched, 126 and 127 as shells do, 128 + n when the program died of signal n.
A pipe or file on stdin goes to the program. Ctrl-C once stops the program and cleans up, twice leaves the cleanup to the server.
With -t it is a key for the program; the detach keys leave program and sandbox running, as --detach does.
Unlike docker run, the sandbox is removed when the program has ended, unless --keep is given; -t needs no -i, as in ssh.

Examples:
  omnigent run --repo . -- npm test
  omnigent run --repo https://git.example.com/team/app.git#main -- make check
  tar c . | omnigent run -- tar tv
  omnigent run -t --repo . -- bash
`;

/** Leaves at once; the server goes on with what it was asked for. */
function leave(interrupt: Interrupt): void {
  process.exit(toInterruptStatus(interrupt));
}

async function launch(
  client: Client,
  request: CreateSandboxInput,
  progress: Progress,
): Promise<SandboxHandle> {
  const controller = new AbortController();
  const interrupted: Interrupt[] = [];
  const stopListening = listenForInterrupts({
    onFirst: (interrupt) => {
      interrupted.push(interrupt);
      controller.abort();
    },
    onSecond: leave,
  });
  try {
    return await client.launch(request, {
      signal: controller.signal,
      onEvent: (event) => progress.showEvent(event),
    });
  } catch (error) {
    const [interrupt] = interrupted;
    if (interrupt !== undefined) throw new InterruptedError(interrupt);
    // In the words of the flags, where the server speaks of fields.
    if (isSandboxError(error) && error.code === 'invalid_request') checkCreateRequest(request);
    throw error;
  } finally {
    stopListening();
  }
}

class InterruptedError extends Error {
  readonly interrupt: Interrupt;
  constructor(interrupt: Interrupt) {
    super(`interrupted by ${interrupt}`);
    this.interrupt = interrupt;
  }
}

async function remove(sandbox: SandboxHandle, progress: Progress): Promise<void> {
  const stopListening = listenForInterrupts({ onFirst: leave, onSecond: leave });
  try {
    const isGone = await sandbox.terminate();
    if (!isGone) progress.note(`sandbox ${sandbox.id} is still being removed; the server goes on`);
  } catch (error) {
    progress.note(
      `sandbox ${sandbox.id} could not be removed now: ${isSandboxError(error) ? error.message : String(error)}; remove it with: omnigent rm ${sandbox.id}`,
    );
  } finally {
    stopListening();
  }
}

async function run(argv: readonly string[], flags: RunFlags, context: CommandContext): Promise<number> {
  const request = await buildCreateRequest(flags, context);
  const timeout =
    flags.timeout === undefined ? {} : { timeoutSeconds: parseDuration('--timeout', flags.timeout) };
  const terminal = flags.tty === true ? prepareTerminal(flags) : undefined;
  const mode = resolveProgressMode(flags, process.stderr.isTTY);
  const progress = new Progress({ mode, write: context.writeError, clock: context.clock });
  // A server that runs checks the request itself; one that has to start leaves the time to do it here.
  const onStarting = () => checkCreateRequest(request);
  const client = await connect(flags, { environment: context.environment, onStarting });
  const sandbox = await launch(client, request, progress);
  progress.clear();
  const hasInput = isInputGiven(flags);
  const program = sandbox.prepare(argv, {
    ...timeout,
    ...(hasInput ? { input: '' } : {}),
    ...(terminal === undefined
      ? {}
      : { terminal: terminal.size, env: buildTerminalEnvironment(context.environment, {}) }),
  });
  if (flags.detach === true) {
    await program.ensureStarted();
    context.writeOut(`${sandbox.id} ${program.id}\n`);
    return EXIT.ok;
  }
  let isLeft = false;
  try {
    const status = await runForeground(program, { terminal, progress, context, hasInput });
    isLeft = status === undefined;
    progress.showJson({
      type: isLeft ? 'detached' : 'exit',
      ...(isLeft ? {} : { exit_code: status }),
      sandbox_id: sandbox.id,
      process_id: program.id,
    });
    return status ?? EXIT.ok;
  } finally {
    if (isLeft)
      progress.note(`the program goes on; come back with: omnigent attach ${sandbox.id} ${program.id}`);
    else if (flags.keep === true)
      progress.note(`sandbox ${sandbox.id} is kept; remove it with: omnigent rm ${sandbox.id}`);
    else await remove(sandbox, progress);
  }
}

interface ForegroundOptions {
  readonly terminal: PreparedTerminal | undefined;
  readonly progress: Progress;
  readonly context: CommandContext;
  readonly hasInput: boolean;
}

/** Runs to the end and returns the status; undefined when a terminal was left while its program goes on. */
async function runForeground(
  program: RunningProcess,
  options: ForegroundOptions,
): Promise<number | undefined> {
  const { terminal, progress, context, hasInput } = options;
  if (terminal === undefined)
    return await runProgram(program, { progress, clock: context.clock, hasInput, onSecondInterrupt: leave });
  const end = await openNewTerminal(program, {
    ...terminal,
    clock: context.clock,
    note: (text) => progress.note(text),
  });
  return 'status' in end ? end.status : undefined;
}

function report(error: unknown, flags: RunFlags, context: CommandContext): number {
  if (error instanceof InterruptedError) return toInterruptStatus(error.interrupt);
  if (flags.json === true && isSandboxError(error)) {
    const { code, message, advice, details } = error;
    context.writeError(`${JSON.stringify({ type: 'error', code, message, advice, details })}\n`);
  } else {
    context.writeError(renderError(error));
  }
  return toErrorStatus(error, EXIT.launchFailed);
}

export const registerRun: RegisterCommand = (program, context) => {
  addServerFlags(addSandboxFlags(program.command('run')))
    .description('launch a sandbox, run a program in it, remove it')
    .argument('[program...]', 'program and its arguments, after --')
    .option('--keep', 'keep the sandbox after the program has ended')
    .option('--detach', 'print sandbox and process id and return; the sandbox stays')
    .option('--timeout <duration>', 'end the program after this long, such as 15m')
    .option('-t, --tty', 'run the program in a terminal; your keys go to it, also without -i')
    .option('-i, --interactive', 'give stdin to the program, also a terminal')
    .option('-n, --no-stdin', 'give no stdin to the program')
    .addOption(buildDetachKeysOption())
    .option('--json', 'progress as one JSON object a line')
    .option('-q, --quiet', 'no progress')
    .addHelpText('after', HELP)
    .action(async (argv: string[], flags: RunFlags) => {
      try {
        if (argv.length === 0) throw new SandboxError('usage', 'expected a program after --, found none');
        context.setStatus(await run(argv, flags, context));
      } catch (error) {
        context.setStatus(report(error, flags, context));
      }
    });
};
