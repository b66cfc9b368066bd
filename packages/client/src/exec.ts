/** Runs a program to its end and collects what it said. */
import { LOG_STREAM, SIGNALS, toExitStatus } from '@omnigent/protocol';
import type { Clock, LogRecord, StartProcessInput, TerminalSize } from '@omnigent/protocol';
import { pumpInput } from './pump-input.ts';
import type { ExecInput } from './pump-input.ts';
import type { ExecResult, RunningProcess } from './running-process.ts';

export interface ExecOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What the program reads from stdin; nothing when absent. */
  readonly input?: ExecInput;
  /** Runs the program in a terminal of this size; it reads what {@link RunningProcess.attach} types. */
  readonly terminal?: TerminalSize;
  /** The program is ended after this time. */
  readonly timeoutSeconds?: number;
  /** Aborting ends the program (SIGTERM, then SIGKILL after a grace) and resolves with `isCanceled`. */
  readonly signal?: AbortSignal;
  readonly onStdout?: (chunk: Uint8Array) => void;
  readonly onStderr?: (chunk: Uint8Array) => void;
  /** Chosen by the client when absent. */
  readonly processId?: string;
}

/** The request of a start. */
export function buildStart(argv: readonly string[], options: ExecOptions): StartProcessInput {
  const { cwd, env, timeoutSeconds, input, terminal } = options;
  return {
    argv: [...argv],
    env: { ...env },
    stdin: input === undefined && terminal === undefined ? 'none' : 'pipe',
    ...(terminal === undefined ? {} : { pty: terminal }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(timeoutSeconds === undefined ? {} : { limits: { timeout_seconds: timeoutSeconds } }),
  };
}

const KILL_GRACE_MS = 10_000;

/** Reads a program's output to its end. */
export async function collectResult(
  process: RunningProcess,
  facts: { readonly argv: readonly string[]; readonly clock: Clock; readonly options: ExecOptions },
): Promise<ExecResult> {
  const { argv, clock, options } = facts;
  const startedAt = clock.monotonicMs();
  const collected = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[], truncated: false };
  const ending = new AbortController();
  const onAbort = () => void endProgram(process, clock, ending.signal);
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.signal?.aborted === true) onAbort();
  const input = options.input === undefined ? undefined : pumpInput(process, options.input, ending.signal);
  try {
    for await (const record of process.output()) collectRecord(record, collected, options);
  } finally {
    ending.abort();
    options.signal?.removeEventListener('abort', onAbort);
  }
  await input;
  return toResult(process, {
    argv,
    collected,
    durationMs: clock.monotonicMs() - startedAt,
    isCanceled: options.signal?.aborted === true,
  });
}

interface Collected {
  readonly stdout: Uint8Array[];
  readonly stderr: Uint8Array[];
  truncated: boolean;
}

function collectRecord(record: LogRecord, collected: Collected, { onStdout, onStderr }: ExecOptions): void {
  if (record.stream === LOG_STREAM.gap) collected.truncated = true;
  if (record.stream === LOG_STREAM.stdout || record.stream === LOG_STREAM.pty) {
    collected.stdout.push(record.data);
    onStdout?.(record.data);
  }
  if (record.stream === LOG_STREAM.stderr) {
    collected.stderr.push(record.data);
    onStderr?.(record.data);
  }
}

/** SIGTERM, and SIGKILL when the program has not ended after a grace. */
async function endProgram(process: RunningProcess, clock: Clock, ended: AbortSignal): Promise<void> {
  try {
    await process.signal('SIGTERM');
    await clock.sleep(KILL_GRACE_MS, { signal: ended });
    await process.signal('SIGKILL');
  } catch {
    // It has ended, or the connection is gone; the output says which.
  }
}

function toResult(
  process: RunningProcess,
  facts: {
    readonly argv: readonly string[];
    readonly collected: Collected;
    readonly durationMs: number;
    readonly isCanceled: boolean;
  },
): ExecResult {
  const exit = process.exit;
  const exitCode = exit === undefined ? 1 : toExitStatus(exit, SIGNALS);
  return {
    command: facts.argv,
    stdout: decode(facts.collected.stdout),
    stderr: decode(facts.collected.stderr),
    exitCode,
    signal: exit?.signal ?? null,
    durationMs: facts.durationMs,
    timedOut: exit?.timed_out ?? false,
    isCanceled: facts.isCanceled,
    oomKilled: exit?.oom_killed ?? false,
    failed: exitCode !== 0,
    truncated: facts.collected.truncated,
    error: exit?.error ?? null,
  };
}

function decode(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
}
