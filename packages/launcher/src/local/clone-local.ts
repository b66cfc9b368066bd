/** Clones a repository of this machine for a sandbox, so that the sandbox never sees the original. */
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { SandboxError } from '@omnigent/protocol';
import type { Repository } from '@omnigent/protocol';

const MAX_OUTPUT_CHARACTERS = 8_000;

/** The user's own settings, hooks and templates neither run nor leak; no prompt can hang it. */
const GIT_ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  GIT_LFS_SKIP_SMUDGE: '1',
  LC_ALL: 'C.UTF-8',
};

interface GitOptions {
  readonly path: string | undefined;
  readonly signal: AbortSignal;
}

interface GitResult {
  readonly status: number;
  readonly output: string;
  readonly errors: string;
}

function runGit(args: readonly string[], { path, signal }: GitOptions): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['-c', 'safe.directory=*', '-c', 'core.hooksPath=/dev/null', ...args], {
      env: { PATH: path ?? '/usr/bin:/bin', ...GIT_ENVIRONMENT },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    child.stderr
      .setEncoding('utf8')
      .on('data', (chunk: string) => (errors = (errors + chunk).slice(-MAX_OUTPUT_CHARACTERS)));
    child.once('error', (cause: NodeJS.ErrnoException) => {
      if (signal.aborted) reject(signal.reason);
      else
        reject(
          new SandboxError(
            cause.code === 'ENOENT' ? 'git_missing' : 'clone_failed',
            `git could not be started: ${cause.message}`,
            { cause },
          ),
        );
    });
    child.once('close', (status) =>
      resolve({ status: status ?? 1, output: output.trim(), errors: errors.trim() }),
    );
  });
}

export interface CloneLocalOptions extends GitOptions {
  /** Directory of the clone; must not exist. */
  readonly target: string;
}

/** @throws SandboxError `clone_*` with git's text in `details.output`. */
export async function cloneLocalRepository(
  repository: Repository,
  options: CloneLocalOptions,
): Promise<void> {
  const { target } = options;
  const branch = repository.branch === undefined ? [] : ['--branch', repository.branch, '--single-branch'];
  const [clone, origin] = await Promise.all([
    // Hard links would let a sandbox change the objects of the original.
    runGit(
      ['clone', '--quiet', '--no-hardlinks', '--template=', ...branch, '--', repository.url, target],
      options,
    ),
    runGit(['-C', repository.url, 'config', '--get', 'remote.origin.url'], options),
  ]);
  if (clone.status !== 0) {
    await rm(target, { recursive: true, force: true });
    throw toCloneError(repository, clone);
  }
  const isPublic = /^(https:\/\/[^@]+|ssh:\/\/.+|[\w.-]+@[^:/]+:.+)$/.test(origin.output);
  // The path of the original means nothing inside.
  const remote = isPublic ? ['remote', 'set-url', 'origin', origin.output] : ['remote', 'remove', 'origin'];
  await runGit(['-C', target, ...remote], options);
}

function toCloneError(repository: Repository, { status, errors }: GitResult): SandboxError {
  const code = /Remote branch .* not found/.test(errors)
    ? 'clone_branch_not_found'
    : /does not exist|not appear to be a git repository/.test(errors)
      ? 'clone_repository_not_found'
      : /No space left/.test(errors)
        ? 'disk_full'
        : 'clone_failed';
  const line =
    errors.split('\n').find((text) => /^(fatal|error)/.test(text)) ?? errors.split('\n').at(-1) ?? '';
  return new SandboxError(code, `cannot clone ${repository.url}: git ended with ${status}: ${line}`, {
    details: { output: errors },
  });
}
