/** Terminals of programs that this command starts itself: flags, size, and what is said when they are left. */
import type { RunningProcess } from '@omnigent/client';
import { EXIT } from '@omnigent/protocol';
import type { Clock, TerminalSize } from '@omnigent/protocol';
import { Option } from 'commander';
import { DEFAULT_DETACH_KEYS, parseDetachKeys } from './detach-keys.ts';
import { runTerminal } from './run-terminal.ts';
import type { TerminalEnd } from './run-terminal.ts';
import { readTerminalSize } from './terminal-size.ts';

/** The flag of every command with a terminal. */
export function buildDetachKeysOption(): Option {
  return new Option(
    '--detach-keys <keys>',
    'keys that leave a terminal while its program goes on; empty switches them off',
  ).default(DEFAULT_DETACH_KEYS);
}

export interface PreparedTerminal {
  readonly size: TerminalSize;
  readonly detachKeys: Uint8Array;
  readonly hasInput: boolean;
}

/** What the flags and the command's own terminal say. @throws SandboxError `usage`. */
export function prepareTerminal(flags: {
  readonly detachKeys: string;
  readonly stdin?: boolean;
}): PreparedTerminal {
  return {
    size: readTerminalSize(process.stdout),
    detachKeys: parseDetachKeys(flags.detachKeys),
    hasInput: flags.stdin !== false,
  };
}

export interface NewTerminalOptions extends PreparedTerminal {
  readonly clock: Clock;
  readonly note: (text: string) => void;
}

/** Starts the program and shows it from its first byte on. */
export async function openNewTerminal(
  program: RunningProcess,
  options: NewTerminalOptions,
): Promise<TerminalEnd> {
  return await runTerminal(program, {
    ...options,
    isTerminal: true,
    attach: { offset: 0 },
    passesSignals: true,
  });
}

/** The same, for a sandbox that stays anyhow. Returns the status of the command. */
export async function runNewTerminal(
  program: RunningProcess,
  options: NewTerminalOptions & { readonly sandboxName: string },
): Promise<number> {
  const end = await openNewTerminal(program, options);
  if ('status' in end) return end.status;
  options.note(`the program goes on; come back with: omnigent attach ${options.sandboxName} ${program.id}`);
  return EXIT.ok;
}
