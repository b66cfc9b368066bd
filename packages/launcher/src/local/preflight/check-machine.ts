/** Checks of the machine for local sandboxes. */
import { execFile } from 'node:child_process';
import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { ERRORS, isSandboxError, toErrorMessage } from '@omnigent/protocol';
import type { Finding } from '@omnigent/protocol';
import type { Isolation } from '../isolation/isolation.ts';

const run = promisify(execFile);
/** Less than this and the first larger clone fails. */
const ENOUGH_FREE_BYTES = 1024 ** 3;
const MEBIBYTE = 1024 ** 2;

export interface MachineOptions {
  readonly isolation: () => Promise<Isolation>;
  readonly nodePath: string;
  readonly hostBundle: string;
  readonly stateDirectory: string;
  readonly isRoot: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const ok = (code: string, message: string): Finding => ({ code, severity: 'ok', message, advice: null });

/** All findings; a check that fails is one. */
export async function checkMachine(options: MachineOptions): Promise<Finding[]> {
  const { hostBundle, nodePath, stateDirectory } = options;
  const others = await Promise.all([
    checkIsolation(options.isolation),
    checkGit(options),
    checkFile({ code: 'node', path: nodePath, mode: constants.X_OK }),
    checkFile({ code: 'host_bundle', path: hostBundle, mode: constants.R_OK }),
    checkFile({ code: 'state_directory', path: stateDirectory, mode: constants.W_OK }),
    checkDisk(stateDirectory),
  ]);
  return [...others, checkUser(options.isRoot)];
}

async function checkIsolation(isolation: () => Promise<Isolation>): Promise<Finding> {
  const code = 'isolation';
  try {
    const found = await isolation();
    if (found.kind === 'bubblewrap') return ok(code, 'bubblewrap works');
    return {
      code,
      severity: 'warning',
      message: found.warning ?? 'isolation is switched off: sandboxes see the machine',
      advice: ERRORS.isolation_unavailable.advice,
    };
  } catch (error) {
    const advice = isSandboxError(error) ? error.advice : null;
    return { code, severity: 'error', message: toErrorMessage(error), advice };
  }
}

function checkUser(isRoot: boolean): Finding {
  if (!isRoot) return ok('user', 'the server runs as an ordinary user');
  return {
    code: 'user',
    severity: 'warning',
    message: 'the server runs as root; isolated sandboxes run as an unprivileged user',
    advice: 'Run the server as an ordinary user where you can: it needs no right of root.',
  };
}

async function checkGit({ environment, signal }: MachineOptions): Promise<Finding> {
  const code = 'git';
  return await run('git', ['--version'], { signal, env: { PATH: environment['PATH'] } }).then(
    ({ stdout }): Finding => ok(code, stdout.trim()),
    (error: unknown): Finding => ({
      code,
      severity: 'error',
      message: `git does not run: ${toErrorMessage(error)}`,
      advice: 'Install git; without it no repository can be cloned.',
    }),
  );
}

async function checkFile(file: {
  readonly code: string;
  readonly path: string;
  readonly mode: number;
}): Promise<Finding> {
  return await access(file.path, file.mode).then(
    (): Finding => ok(file.code, file.path),
    (error: unknown): Finding => ({
      code: file.code,
      severity: 'error',
      message: toErrorMessage(error),
      advice: 'Check the path and its permissions.',
    }),
  );
}

async function checkDisk(stateDirectory: string): Promise<Finding> {
  const code = 'disk';
  const facts = await statfs(stateDirectory)
    .catch(() => statfs(dirname(stateDirectory)))
    .catch(() => undefined);
  if (facts === undefined)
    return {
      code,
      severity: 'unknown',
      message: `cannot tell the free space of ${stateDirectory}`,
      advice: null,
    };
  const free = facts.bavail * facts.bsize;
  const message = `${Math.trunc(free / MEBIBYTE)} MiB free at ${stateDirectory}`;
  if (free >= ENOUGH_FREE_BYTES) return ok(code, message);
  return {
    code,
    severity: 'warning',
    message,
    advice: 'Free some space, or choose another state directory.',
  };
}
