/** `omnigent shell`: a login shell in a terminal. */
import { SandboxError } from '@omnigent/protocol';
import { parseEnvironmentFlags } from '../arguments/flags.ts';
import { connect } from '../server-access/connect.ts';
import type { ServerFlags } from '../server-access/connect.ts';
import { buildDetachKeysOption, prepareTerminal, runNewTerminal } from '../terminal/new-terminal.ts';
import { buildTerminalEnvironment } from '../terminal/terminal-size.ts';
import { addServerFlags, collect } from './command-context.ts';
import type { CommandContext, RegisterCommand } from './command-context.ts';

interface ShellFlags extends ServerFlags {
  readonly env: readonly string[];
  readonly cwd?: string;
  readonly detachKeys: string;
}

/** The user's own shell, else bash, else sh: whatever the sandbox has. Images without a passwd entry have no shell of their own. */
const FIND_SHELL = `for shell in "$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f7)" "$SHELL" /bin/bash /usr/bin/bash /bin/sh; do
case "$shell" in */nologin|*/false|"") ;; *) [ -x "$shell" ] && SHELL="$shell" && export SHELL && exec "$shell" -l ;; esac
done
exec sh`;

const HELP = `
The shell is that of the sandbox's user, else bash, else sh. The exit status is the shell's. The detach keys leave it running;
omnigent attach comes back to it. A connection that breaks is taken up again by itself, which ssh does not do.
`;

async function openShell(name: string, flags: ShellFlags, context: CommandContext): Promise<number> {
  if (!process.stdin.isTTY) {
    throw new SandboxError(
      'usage',
      'expected a terminal on stdin, found none; run a script with: omnigent exec SANDBOX -- sh < SCRIPT',
    );
  }
  const terminal = prepareTerminal(flags);
  const env = parseEnvironmentFlags(flags.env, context.environment);
  const client = await connect(flags, { environment: context.environment, isStarting: false });
  const sandbox = await client.get(name);
  const program = sandbox.prepare(['sh', '-c', FIND_SHELL], {
    env: buildTerminalEnvironment(context.environment, env),
    terminal: terminal.size,
    ...(flags.cwd === undefined ? {} : { cwd: flags.cwd }),
  });
  const note = (text: string) => context.writeError(`omnigent: ${text}\n`);
  return await runNewTerminal(program, { ...terminal, note, clock: context.clock, sandboxName: name });
}

export const registerShell: RegisterCommand = (program, context) => {
  addServerFlags(program.command('shell'))
    .description('open a login shell in a sandbox')
    .argument('<sandbox>', 'id or name')
    .option(
      '--env <NAME=VALUE>',
      'variable for the shell; NAME alone copies yours; may be repeated',
      collect,
      [],
    )
    .option('--cwd <dir>', 'working directory; relative to the workspace')
    .addOption(buildDetachKeysOption())
    .addHelpText('after', HELP)
    .action(async (name: string, flags: ShellFlags) =>
      context.setStatus(await openShell(name, flags, context)),
    );
};
