/** The command line as a whole: commands, their help, and how its errors look. */
import { Command, CommanderError } from 'commander';
import { EXIT, SandboxError, VERSION } from '@omnigent/protocol';
import type { CommandContext, RegisterCommand } from './commands/command-context.ts';
import { registerAttach } from './commands/attach.ts';
import { registerCompletion } from './commands/completion.ts';
import { registerCopy } from './commands/copy.ts';
import { registerExec } from './commands/exec.ts';
import { registerPorts } from './commands/ports.ts';
import { registerPreview } from './commands/preview.ts';
import { registerProcesses } from './commands/processes.ts';
import { registerRun } from './commands/run.ts';
import { registerSandboxes } from './commands/sandboxes.ts';
import { registerService } from './commands/service.ts';
import { registerShell } from './commands/shell.ts';

const COMMANDS: readonly RegisterCommand[] = [
  registerRun,
  registerExec,
  registerShell,
  registerAttach,
  registerSandboxes,
  registerProcesses,
  registerCopy,
  registerPorts,
  registerPreview,
  registerService,
  registerCompletion,
];

/** Creates the program; `parseAsync` runs it. */
export function createProgram(context: CommandContext): Command {
  const program = new Command('omnigent')
    .description('Runs programs in sandboxes of their own: on a Kubernetes cluster or on this machine.')
    .version(VERSION)
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .configureOutput({ writeOut: context.writeOut, writeErr: () => undefined })
    .exitOverride();
  for (const register of COMMANDS) register(program, context);
  for (const [name, description] of [
    ['server', 'run the control plane; see omnigent server --help'],
    ['host', 'run inside a sandbox; see omnigent host --help'],
    ['version', 'print the version'],
  ] as const) {
    // Started by bin/omnigent.js before this program is loaded; here for the help only.
    program.command(name).description(description).helpOption(false);
  }
  for (const command of program.commands)
    command.exitOverride().configureOutput({ writeOut: context.writeOut, writeErr: () => undefined });
  return program;
}

/** What commander reports, as an error of ours; undefined when help or the version was asked for. */
export function toUsageError(error: CommanderError): SandboxError | undefined {
  if (error.exitCode === EXIT.ok) return undefined;
  if (error.code === 'commander.help') return new SandboxError('usage', 'expected a command, found none');
  return new SandboxError('usage', error.message.replace(/^error: /, ''));
}
