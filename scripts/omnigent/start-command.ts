/** Runs the `omnigent` command of this checkout as a user would. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The command of this checkout. */
export const OMNIGENT = `${root}packages/cli/bin/omnigent.js`;

/** What a command is started with. */
export interface CommandOptions {
  /** Its state directory: everything it keeps is below. */
  readonly stateDirectory: string;
  /** Told each line of its standard output. */
  readonly onOutput?: (line: string) => void;
  /** Told each line of its standard error. */
  readonly onProgress?: (line: string) => void;
}

const ignoreLine = (): void => {};

/** Starts `omnigent` with arguments, in this checkout's folder. */
export function startCommand(args: readonly string[], options: CommandOptions): ChildProcess {
  const child = spawn(process.execPath, [OMNIGENT, ...args], {
    cwd: root,
    env: { ...process.env, OMNIGENT_STATE_DIR: options.stateDirectory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  createInterface(child.stdout).on('line', options.onOutput ?? ignoreLine);
  createInterface(child.stderr).on('line', options.onProgress ?? ignoreLine);
  return child;
}

/** Waits for the end of a command; throws unless it exits with 0. */
export async function waitForSuccess(child: ChildProcess, what: string): Promise<void> {
  const [exitCode, signal] = await once(child, 'close');
  if (exitCode !== 0)
    throw new Error(`${what} was expected to exit with 0; it ended with ${exitCode ?? signal}`);
}
