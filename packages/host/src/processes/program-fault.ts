/** Tells why a program could not be started: 127 (not found) or 126 (cannot be executed), as shells do. */
import { access, constants, open, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { SandboxError } from '@omnigent/protocol';

/** What the kernel reads of a script to find its interpreter. */
const FIRST_LINE_BYTES = 256;

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

/** Why a program cannot be started, as far as the files tell; undefined when nothing speaks against it. */
export async function findProgramFault(
  attempt: SpawnAttempt,
  cause?: unknown,
): Promise<SandboxError | undefined> {
  const { program, cwd } = attempt;
  const refuse = (reason: string) =>
    new SandboxError('program_not_executable', `cannot start ${JSON.stringify(program)}${reason}`, { cause });
  const directory = await stat(cwd).catch(() => undefined);
  if (directory?.isDirectory() !== true) {
    const problem = directory === undefined ? 'does not exist' : 'is not a directory';
    return refuse(`: the working directory ${cwd} ${problem}`);
  }
  const found = await findProgram(attempt);
  if (found === undefined) {
    return (await isDirectory(attempt)) ? refuse(': it is a directory') : toNotFound(attempt, cause);
  }
  if (!(await isExecutable(found))) return refuse(` (${found}): it has no execute permission`);
  const interpreter = await readInterpreter(found);
  if (interpreter === undefined || (await isExecutable(interpreter))) return undefined;
  return refuse(` (${found}): its interpreter ${interpreter} does not exist or cannot be executed`);
}

/** Turns the error of a failed start into one that says what is wrong. */
export async function diagnoseSpawnError(
  attempt: SpawnAttempt,
  cause: NodeJS.ErrnoException,
): Promise<SandboxError> {
  return (
    (await findProgramFault(attempt, cause)) ??
    new SandboxError(
      'program_not_executable',
      `cannot start ${JSON.stringify(attempt.program)}: ${explain(cause)}`,
      { cause },
    )
  );
}

function toNotFound({ program, cwd }: SpawnAttempt, cause: unknown): SandboxError {
  const place = program.includes('/') ? `at ${resolve(cwd, program)}` : 'in PATH';
  return new SandboxError('program_not_found', `program ${JSON.stringify(program)} was not found ${place}`, {
    cause,
  });
}

async function isDirectory({ program, cwd }: SpawnAttempt): Promise<boolean> {
  if (!program.includes('/')) return false;
  const facts = await stat(resolve(cwd, program)).catch(() => undefined);
  return facts?.isDirectory() === true;
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The interpreter that a script names in its first line. */
async function readInterpreter(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_LINE_BYTES), 0, FIRST_LINE_BYTES, 0);
    return /^#![ \t]*(\/[^ \t\n]+)/.exec(buffer.toString('latin1', 0, bytesRead))?.[1];
  } catch {
    // Not readable is no fault: a binary may be executable only.
    return undefined;
  } finally {
    await file.close();
  }
}

function explain(cause: NodeJS.ErrnoException): string {
  if (cause.code === 'ENOENT') return 'its dynamic loader does not exist';
  if (cause.code === 'ENOEXEC') return 'it is not a program for this machine';
  if (cause.code === 'E2BIG') return 'its arguments and environment are too long';
  return cause.message;
}
