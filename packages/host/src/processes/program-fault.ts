/** Tells why a program could not be started: 127 (not found) or 126 (cannot be executed), as shells do. */
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { SandboxError } from '@omnigent/protocol';

export interface SpawnAttempt {
  readonly program: string;
  readonly cwd: string;
  readonly path: string | undefined;
}

/** Where a program lies, or undefined. */
async function findProgram({ program, cwd, path }: SpawnAttempt): Promise<string | undefined> {
  const candidates = program.includes('/')
    ? [resolve(cwd, program)]
    : (path ?? '')
        .split(delimiter)
        .map((directory) => join(directory === '' ? cwd : resolve(cwd, directory), program));
  for (const candidate of candidates) {
    const facts = await stat(candidate).catch(() => undefined);
    if (facts?.isFile() === true) return candidate;
  }
  return undefined;
}

/** Turns the error of a failed spawn into one that says what is wrong. */
export async function diagnoseSpawnError(
  attempt: SpawnAttempt,
  cause: NodeJS.ErrnoException,
): Promise<SandboxError> {
  const { program, cwd } = attempt;
  const shown = JSON.stringify(program);
  const directory = await stat(cwd).catch(() => undefined);
  if (directory?.isDirectory() !== true) {
    const problem = directory === undefined ? 'does not exist' : 'is not a directory';
    return new SandboxError(
      'program_not_executable',
      `cannot start ${shown}: the working directory ${cwd} ${problem}`,
      { cause },
    );
  }
  const found = await findProgram(attempt);
  if (found === undefined) {
    const place = program.includes('/') ? `at ${resolve(cwd, program)}` : 'in PATH';
    const isDirectory =
      program.includes('/') &&
      (await stat(resolve(cwd, program)).catch(() => undefined))?.isDirectory() === true;
    return isDirectory
      ? new SandboxError('program_not_executable', `cannot start ${shown}: it is a directory`, { cause })
      : new SandboxError('program_not_found', `program ${shown} was not found ${place}`, { cause });
  }
  const isExecutable = await access(found, constants.X_OK).then(
    () => true,
    () => false,
  );
  const reason = isExecutable ? explainExecutable(cause) : 'it has no execute permission';
  return new SandboxError('program_not_executable', `cannot start ${shown} (${found}): ${reason}`, { cause });
}

function explainExecutable(cause: NodeJS.ErrnoException): string {
  if (cause.code === 'ENOENT') return 'its interpreter (the #! line or the dynamic loader) does not exist';
  if (cause.code === 'ENOEXEC') return 'it is not a program for this machine';
  if (cause.code === 'E2BIG') return 'its arguments and environment are too long';
  return cause.message;
}
