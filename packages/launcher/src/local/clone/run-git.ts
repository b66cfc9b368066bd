/** Runs git to its end and keeps what it says. */
import { spawn } from 'node:child_process';
import { SandboxError } from '@omnigent/protocol';

const MAX_OUTPUT_CHARACTERS = 8_000;

export interface GitOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface GitResult {
  /** Exit status; 128 + n is not used here: a killed git has the name of its signal in {@link killedBy}. */
  readonly status: number | null;
  readonly killedBy: string | null;
  readonly output: string;
  /** The end of its standard error. */
  readonly errors: string;
}

/** @throws SandboxError `git_missing` or `clone_failed` when git cannot be started; the signal's reason when that aborts. */
export async function runGit(args: readonly string[], { env, signal }: GitOptions): Promise<GitResult> {
  const child = spawn('git', args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  const output = collectEnd(child.stdout);
  const errors = collectEnd(child.stderr);
  const { promise, resolve, reject } = Promise.withResolvers<GitResult>();
  child.once('error', (cause) => reject(signal.aborted ? signal.reason : toStartError(cause)));
  child.once('close', (status, killedBy) =>
    resolve({ status, killedBy, output: output().trim(), errors: errors().trim() }),
  );
  return await promise;
}

function collectEnd(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => (text = (text + chunk).slice(-MAX_OUTPUT_CHARACTERS)));
  return () => text;
}

function toStartError(cause: NodeJS.ErrnoException): SandboxError {
  return cause.code === 'ENOENT'
    ? new SandboxError('git_missing', 'git was not found on this machine', { cause })
    : new SandboxError('clone_failed', `git could not be started: ${cause.message}`, { cause });
}
