/** `omnigent exec`: run a program in a sandbox that exists. */
import { EXIT, SandboxError } from '@omnigent/protocol';
import { parseDuration, parseEnvironmentFlags } from '../arguments/flags.ts';
import { Progress, resolveProgressMode } from '../output/progress.ts';
import { toInterruptStatus } from '../run/interrupts.ts';
import { runProgram } from '../run/run-program.ts';
import { isInputGiven } from '../run/standard-input.ts';
import { connect } from '../server-access/connect.ts';
import type { ServerFlags } from '../server-access/connect.ts';
import { buildTerminalEnvironment } from '../terminal/terminal-size.ts';
import { buildDetachKeysOption, prepareTerminal, runNewTerminal } from '../terminal/new-terminal.ts';
import { addServerFlags, collect } from './command-context.ts';
import type { CommandContext, RegisterCommand } from './command-context.ts';

interface ExecFlags extends ServerFlags {
  readonly env: readonly string[];
  readonly cwd?: string;
  readonly timeout?: string;
  readonly detach?: boolean;
  readonly interactive?: boolean;
  readonly stdin?: boolean;
  readonly tty?: boolean;
  readonly detachKeys: string;
}

const HELP = `
The exit status is the program's; 126 and 127 as shells do, 128 + n when it died of signal n. A pipe or file on stdin goes to the
program byte for byte, without -i: tar c . | omnigent exec SANDBOX -- tar x
Ctrl-C once stops the program, twice leaves it. With -t it is a key for the program, as in ssh; the detach keys leave a session
whose program goes on, as in docker. -t without a terminal on stdin still gives the program a terminal and types what comes.
`;

async function exec(
  target: { readonly sandbox: string; readonly argv: readonly string[] },
  flags: ExecFlags,
  context: CommandContext,
): Promise<number> {
  if (target.argv.length === 0) throw new SandboxError('usage', 'expected a program after --, found none');
  const hasInput = isInputGiven(flags);
  const terminal = flags.tty === true ? prepareTerminal(flags) : undefined;
  const env = parseEnvironmentFlags(flags.env, context.environment);
  const options = {
    env: terminal === undefined ? env : buildTerminalEnvironment(context.environment, env),
    ...(terminal === undefined ? {} : { terminal: terminal.size }),
    ...(flags.cwd === undefined ? {} : { cwd: flags.cwd }),
    ...(flags.timeout === undefined ? {} : { timeoutSeconds: parseDuration('--timeout', flags.timeout) }),
    ...(hasInput ? { input: '' } : {}),
  };
  const client = await connect(flags, { environment: context.environment, isStarting: false });
  const sandbox = await client.get(target.sandbox);
  const program = sandbox.prepare(target.argv, options);
  if (flags.detach === true) {
    await program.ensureStarted();
    context.writeOut(`${program.id}\n`);
    return EXIT.ok;
  }
  const progress = new Progress({
    mode: resolveProgressMode({}, process.stderr.isTTY),
    write: context.writeError,
    clock: context.clock,
  });
  if (terminal !== undefined)
    return await runNewTerminal(program, {
      ...terminal,
      clock: context.clock,
      note: (text) => progress.note(text),
      sandboxName: target.sandbox,
    });
  return await runProgram(program, {
    progress,
    clock: context.clock,
    hasInput,
    onSecondInterrupt: (interrupt) => process.exit(toInterruptStatus(interrupt)),
  });
}

export const registerExec: RegisterCommand = (program, context) => {
  addServerFlags(program.command('exec'))
    .description('run a program in a sandbox that exists')
    .argument('<sandbox>', 'id or name')
    .argument('[program...]', 'program and its arguments, after --')
    .option(
      '--env <NAME=VALUE>',
      'variable for the program; NAME alone copies yours; may be repeated',
      collect,
      [],
    )
    .option('--cwd <dir>', 'working directory; relative to the workspace')
    .option('--timeout <duration>', 'end the program after this long')
    .option('--detach', 'print the process id and return')
    .option('-t, --tty', 'run the program in a terminal; your keys go to it, also without -i')
    .option('-i, --interactive', 'give stdin to the program, also a terminal')
    .option('-n, --no-stdin', 'give no stdin to the program')
    .addOption(buildDetachKeysOption())
    .addHelpText('after', HELP)
    .action(async (sandbox: string, argv: string[], flags: ExecFlags) =>
      context.setStatus(await exec({ sandbox, argv }, flags, context)),
    );
};
