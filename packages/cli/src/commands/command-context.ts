/** What every command works with. */
import type { Clock } from '@omnigent/protocol';
import type { Command } from 'commander';

export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Sets the status that the command ends with. */
  readonly setStatus: (status: number) => void;
}

/** A command adds itself to the program. */
export type RegisterCommand = (program: Command, context: CommandContext) => void;

/** The flags of every command that talks to a server. */
export function addServerFlags(command: Command): Command {
  return command
    .option(
      '--server <url>',
      'server to use (OMNIGENT_SERVER; default: the embedded server, started when needed)',
    )
    .option('--token-file <file>', 'file with the bearer token (or OMNIGENT_TOKEN)')
    .option('--ca-bundle <file>', 'extra root certificates for the server (OMNIGENT_CA_BUNDLE)')
    .option('--state-dir <dir>', 'state directory (OMNIGENT_STATE_DIR; default: the XDG state directory)');
}

/** Collects a flag that may be repeated. */
export function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}
