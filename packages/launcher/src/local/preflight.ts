/** Checks of the machine for local sandboxes. */
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { promisify } from 'node:util';
import { ERRORS, isSandboxError, toErrorMessage } from '@omnigent/protocol';
import type { Finding } from '@omnigent/protocol';
import type { Isolation } from './isolation.ts';

const run = promisify(execFile);

export interface MachineOptions {
  readonly isolation: Promise<Isolation>;
  readonly hostBundle: string;
  readonly stateDirectory: string;
  readonly signal: AbortSignal;
}

async function checkIsolation(isolation: Promise<Isolation>): Promise<Finding> {
  try {
    const { kind, ...rest } = await isolation;
    if (kind === 'bubblewrap')
      return { code: 'isolation', severity: 'ok', message: 'bubblewrap works', advice: null };
    const warning = 'warning' in rest ? rest.warning : null;
    return {
      code: 'isolation',
      severity: 'warning',
      message: warning ?? 'isolation is switched off',
      advice: ERRORS.isolation_unavailable.advice,
    };
  } catch (error) {
    return {
      code: 'isolation',
      severity: 'error',
      message: toErrorMessage(error),
      advice: isSandboxError(error) ? error.advice : null,
    };
  }
}

async function checkGit(signal: AbortSignal): Promise<Finding> {
  return await run('git', ['--version'], { signal }).then(
    ({ stdout }): Finding => ({ code: 'git', severity: 'ok', message: stdout.trim(), advice: null }),
    (): Finding => ({ code: 'git', severity: 'error', message: 'git was not found', advice: 'Install git.' }),
  );
}

async function checkFile(code: string, path: string, mode: number): Promise<Finding> {
  return await access(path, mode).then(
    (): Finding => ({ code, severity: 'ok', message: path, advice: null }),
    (error: unknown): Finding => ({
      code,
      severity: 'error',
      message: toErrorMessage(error),
      advice: 'Check the path and its permissions.',
    }),
  );
}

/** All findings; never throws. */
export async function checkMachine(options: MachineOptions): Promise<Finding[]> {
  return await Promise.all([
    checkIsolation(options.isolation),
    checkGit(options.signal),
    checkFile('host_bundle', options.hostBundle, constants.R_OK),
    checkFile('state_directory', options.stateDirectory, constants.W_OK),
  ]);
}
