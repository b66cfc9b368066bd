/** The embedded server: found when it runs on the state directory, started when it does not. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SandboxError } from '@omnigent/protocol';

const LOG_TAIL_LINES = 20;
/** By the command itself, which keeps the server's compiled code between its starts. */
const COMMAND = fileURLToPath(new URL('../../bin/omnigent.js', import.meta.url));

async function readStartTime(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

/** Checked by hand: every command waits for this, and the first schema that a process uses takes it 10 ms. */
function parseServerFile(text: string): {
  readonly url: string;
  readonly pid: number;
  readonly startTime: string;
} {
  const value: unknown = JSON.parse(text);
  const isObject = typeof value === 'object' && value !== null;
  if (!isObject || !('pid' in value) || !('pid_start_time' in value)) throw toAnswerError();
  if (typeof value.pid !== 'number' || typeof value.pid_start_time !== 'string') throw toAnswerError();
  return { url: readUrl(value), pid: value.pid, startTime: value.pid_start_time };
}

function readUrl(value: unknown): string {
  if (typeof value !== 'object' || value === null || !('url' in value)) throw toAnswerError();
  if (typeof value.url !== 'string') throw toAnswerError();
  return value.url;
}

function toAnswerError(): SandboxError {
  return new SandboxError('server_answer', 'what the server says of itself is not as agreed');
}

/** URL of the server that runs on a state directory; undefined when there is none. */
export async function findServer(stateDirectory: string): Promise<string | undefined> {
  try {
    const file = parseServerFile(await readFile(join(stateDirectory, 'server.json'), 'utf8'));
    return (await readStartTime(file.pid)) === file.startTime ? file.url : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Starts the embedded server in the background and resolves with its URL; two commands at once end up with the same server.
 *
 * @param onStarting called while the server starts; what it throws is thrown.
 * @throws SandboxError `server_start` with the end of its log.
 */
export async function startEmbeddedServer(stateDirectory: string, onStarting?: () => void): Promise<string> {
  await mkdir(stateDirectory, { recursive: true, mode: 0o700 });
  const logPath = join(stateDirectory, 'server.log');
  await using log = await open(logPath, 'a', 0o600);
  const child = spawn(process.execPath, [COMMAND, 'server', '--embedded', '--state-dir', stateDirectory], {
    cwd: stateDirectory,
    detached: true,
    stdio: ['ignore', 'pipe', log.fd],
  });
  const { stdout } = child;
  if (stdout === null) throw new SandboxError('server_start', 'the embedded server has no output');
  const lines = createInterface({ input: stdout });
  const ready = once(lines, 'line').then(([line]) => readUrl(JSON.parse(String(line))));
  const ended = once(child, 'exit').then(async ([code]) => {
    throw new SandboxError(
      'server_start',
      `the embedded server ended with ${code}; its log ${logPath} says:\n${await readTail(logPath)}`,
    );
  });
  ended.catch(() => undefined);
  try {
    onStarting?.();
    return await Promise.race([ready, ended]);
  } finally {
    lines.close();
    stdout.destroy();
    child.unref();
  }
}

async function readTail(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
}
