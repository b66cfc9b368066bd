/** One git clone: progress out, typed failure with git's own text, nothing half-done left. */
import { spawn } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SandboxError, diagnoseGit, isSandboxError } from '@omnigent/protocol';
import type { Clock, GitOptions, PrepareWorkspace } from '@omnigent/protocol';
import { redactGitText } from './git-text.ts';
import { toPartial } from './partial-clones.ts';

export interface CloneOptions {
  readonly repository: PrepareWorkspace['repositories'][number];
  readonly git: GitOptions;
  /** Absolute directory of the clone; must not exist. */
  readonly target: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onProgress: (message: string) => void;
  readonly clock: Clock;
}

const MAX_OUTPUT_CHARACTERS = 8_000;
const TRIES = 3;
const RETRY_MS = 1_000;

/** Settings that keep any git from waiting for a person or for a server that went silent. */
const GIT_ENVIRONMENT = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS: 'true',
  GIT_HTTP_LOW_SPEED_LIMIT: '1000',
  GIT_HTTP_LOW_SPEED_TIME: '60',
  LC_ALL: 'C.UTF-8',
};
const SSH_COMMAND = 'ssh -o BatchMode=yes -o ConnectTimeout=20';

/** The arguments of `git` for a clone. */
export function buildCloneArguments({
  repository,
  git,
  target,
}: Pick<CloneOptions, 'repository' | 'git' | 'target'>): string[] {
  return [
    'clone',
    '--progress',
    ...(repository.branch === undefined ? [] : ['--branch', repository.branch, '--single-branch']),
    ...(git.depth === undefined ? [] : ['--depth', String(git.depth)]),
    ...(git.filter === undefined ? [] : [`--filter=${git.filter}`]),
    ...(git.submodules ? ['--recurse-submodules'] : []),
    '--',
    repository.url,
    target,
  ];
}

/**
 * Clones and returns the commit that is checked out (null for an empty repository).
 *
 * @throws SandboxError `clone_*`, `git_missing`, `disk_full` or `canceled`; `details.output` holds the end of git's text.
 */
export async function cloneRepository(options: CloneOptions): Promise<string | null> {
  const { target, clock, signal } = options;
  const partial = toPartial(target, clock);
  await mkdir(dirname(target), { recursive: true });
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await runGit(buildCloneArguments({ ...options, target: partial }), options);
        // Not by the clone: an image without git-lfs would leave pointer files and say nothing.
        if (options.git.lfs === 'fetch') await runGit(['-C', partial, 'lfs', 'pull'], options);
        break;
      } catch (error) {
        await rm(partial, { recursive: true, force: true });
        const isWorthRetry = isSandboxError(error) && error.code === 'clone_unreachable' && attempt < TRIES;
        if (!isWorthRetry) throw error;
        options.onProgress(`${error.message}; trying again`);
        await clock.sleep(RETRY_MS * 2 ** (attempt - 1), { signal });
      }
    }
    // The clone appears whole or not at all.
    await rename(partial, target);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return await readHead(target, options);
}

type GitRunOptions = Pick<CloneOptions, 'env' | 'signal'> &
  Partial<Pick<CloneOptions, 'onProgress' | 'repository'>>;

/** The commit that is checked out in a directory; null for an empty repository. */
export async function readHead(directory: string, options: GitRunOptions): Promise<string | null> {
  return await runGit(['-C', directory, 'rev-parse', '--verify', '-q', 'HEAD'], options).then(
    (text) => text.trim(),
    () => null,
  );
}

/** Runs git and returns its standard output. */
function runGit(args: readonly string[], options: GitRunOptions): Promise<string> {
  const { env, signal, onProgress, repository } = options;
  const child = spawn('git', ['-c', 'advice.detachedHead=false', ...args], {
    env: {
      GIT_SSH_COMMAND: SSH_COMMAND,
      ...env,
      ...GIT_ENVIRONMENT,
      GIT_LFS_SKIP_SMUDGE: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const stop = () => {
    // The whole group: git runs helpers of its own.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  signal.addEventListener('abort', stop, { once: true });
  let output = '';
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output = (output + chunk).slice(-MAX_OUTPUT_CHARACTERS);
    const line = redactGitText(chunk.split(/[\r\n]/).findLast((part) => part.trim() !== '') ?? '').trim();
    if (line !== '') onProgress?.(line);
  });
  return new Promise((resolve, reject) => {
    child.once('error', (cause: NodeJS.ErrnoException) => {
      signal.removeEventListener('abort', stop);
      const code = cause.code === 'ENOENT' ? 'git_missing' : 'clone_failed';
      reject(new SandboxError(code, `git could not be started: ${cause.message}`, { cause }));
    });
    child.once('close', (status, killedBy) => {
      signal.removeEventListener('abort', stop);
      if (status === 0) return resolve(text);
      const shown = redactGitText(output.replace(/\r(?!\n)/g, '\n')).trim();
      const code = signal.aborted
        ? 'canceled'
        : diagnoseGit(shown, { isOutOfMemory: killedBy === 'SIGKILL' });
      const what = killedBy === null ? `git ended with ${status}` : `git was killed by ${killedBy}`;
      reject(
        new SandboxError(
          code,
          `cannot clone ${redactGitText(repository?.url ?? '')}: ${what}: ${lastLine(shown)}`,
          {
            details: { output: shown },
          },
        ),
      );
    });
  });
}

function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /^(fatal|error|remote: )/.test(line)) ?? lines.at(-1) ?? 'no output';
}
