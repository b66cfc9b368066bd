/** Hands the environment of the command inside to bubblewrap. */
import type { ChildProcess } from 'node:child_process';
import { Writable } from 'node:stream';
import { ENVIRONMENT_FD, buildEnvironmentArguments } from './bubblewrap.ts';

/** Writes to a started bubblewrap whose stdio has a pipe at {@link ENVIRONMENT_FD}. */
export function writeEnvironment(
  child: Pick<ChildProcess, 'stdio'>,
  environment: Readonly<Record<string, string>>,
): void {
  const pipe = child.stdio[ENVIRONMENT_FD];
  if (!(pipe instanceof Writable)) return;
  // bubblewrap that fails before it reads is told by its exit, not by a broken pipe.
  pipe.on('error', () => undefined);
  pipe.end(buildEnvironmentArguments(environment));
}
