/** One program: its streams go to its log, its input comes with offsets, its end is the log's last record. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  LOG_MAX_RECORD_BYTES,
  LOG_STREAM,
  SandboxError,
  buildLogHeader,
  buildLogRecord,
  toIsoTime,
} from '@omnigent/protocol';
import type {
  Clock,
  LogStream,
  Process,
  ProcessExit,
  SignalName,
  StartProcess,
  TerminalSize,
} from '@omnigent/protocol';
import { InputSink } from './input-sink.ts';
import { readMemoryFacts } from './memory-limit.ts';
import type { LogPieces, OutputLog } from './output-log.ts';
import { PROCESS_MARK, signalTree } from './process-tree.ts';
import { diagnoseSpawnError } from './program-fault.ts';

export interface ProcessOptions {
  readonly id: string;
  readonly request: StartProcess;
  /** Absolute working directory. */
  readonly cwd: string;
  /** Environment of the program, complete. */
  readonly env: Readonly<Record<string, string>>;
  readonly mark: string;
  readonly log: OutputLog;
  readonly clock: Clock;
}

/** Output is awaited until the pipes were quiet for so many rounds, or more came than they can hold. */
const QUIET_ROUNDS = 3;
const QUIET_ROUND_MS = 40;
const PIPE_BYTES = 4 * 1024 * 1024;
/** Between SIGTERM and SIGKILL. */
export const KILL_GRACE_MS = 10_000;

type EndFacts = Pick<ProcessExit, 'exit_code' | 'signal'> & { readonly error?: ProcessExit['error'] };

export class SupervisedProcess {
  readonly id: string;
  readonly request: StartProcess;
  readonly log: OutputLog;
  readonly input: InputSink;
  readonly #options: ProcessOptions;
  readonly #startedAt: number;
  readonly #closed = Promise.withResolvers<void>();
  #child: ChildProcess | undefined;
  #exit: ProcessExit | null = null;
  #oomKillsBefore: number | null = null;
  #hasTimedOut = false;

  constructor(options: ProcessOptions) {
    this.id = options.id;
    this.request = options.request;
    this.log = options.log;
    this.input = new InputSink(options.request.stdin === 'pipe');
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  get isRunning(): boolean {
    return this.#exit === null;
  }

  /** Resolves when the exit record is in the log. */
  get ended(): Promise<void> {
    return this.#closed.promise;
  }

  /** Starts the program. Never throws: a program that cannot be started ends with an exit record that says why. */
  start(): void {
    const { request, cwd, env, mark } = this.#options;
    const [program = '', ...args] = request.argv;
    try {
      const child = spawn(program, args, {
        cwd,
        env: { ...env, [PROCESS_MARK]: mark },
        detached: true,
        stdio: [request.stdin === 'pipe' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      });
      this.#child = child;
      child.once('error', (error) => void this.#failStart(error));
      if (child.pid === undefined) return;
      this.#watch(child);
    } catch (error) {
      void this.#failStart(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Sends a signal to the program's whole group and to descendants that left it. */
  async signal(signal: SignalName): Promise<void> {
    const pid = this.#child?.pid;
    if (!this.isRunning || pid === undefined)
      throw new SandboxError('process_ended', `process ${this.id} has ended`);
    await signalTree(pid, this.#options.mark, signal);
  }

  /** Ends the program: SIGTERM, then SIGKILL after a grace; resolves when its exit is recorded. */
  async stop(graceMs: number = KILL_GRACE_MS): Promise<void> {
    if (!this.isRunning) return;
    await this.signal('SIGTERM').catch(() => undefined);
    const controller = new AbortController();
    const isEnded = this.ended.then(() => true);
    const isLate = this.#options.clock.sleep(graceMs, { signal: controller.signal }).then(
      () => false,
      () => true,
    );
    if (!(await Promise.race([isEnded, isLate]))) await this.signal('SIGKILL').catch(() => undefined);
    controller.abort();
    await this.ended;
  }

  resize(_size: TerminalSize): void {
    throw new SandboxError('no_terminal', `process ${this.id} has no terminal`);
  }

  toJSON(): Process {
    return {
      id: this.id,
      argv: this.request.argv,
      cwd: this.#options.cwd,
      pty: this.request.pty ?? null,
      state: this.isRunning ? 'running' : 'exited',
      pid: this.#child?.pid ?? null,
      exit: this.#exit,
      started_at: toIsoTime(this.#startedAt),
      output: { first_offset: this.log.firstOffset, end_offset: this.log.endOffset },
      input: { offset: this.input.offset, closed: this.input.isClosed },
    };
  }

  #watch(child: ChildProcess): void {
    void readMemoryFacts().then(({ oomKills }) => (this.#oomKillsBefore = oomKills));
    if (child.stdin !== null) this.input.connect(child.stdin);
    const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
    if (child.stdout !== null) this.#record(child.stdout, LOG_STREAM.stdout);
    if (child.stderr !== null) this.#record(child.stderr, LOG_STREAM.stderr);
    const isClosed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    child.once('exit', (code, signal) => {
      void this.#drain(streams, isClosed).then(() =>
        this.#finish({ exit_code: code, signal: signal as SignalName | null }),
      );
    });
    this.#watchTimeout();
  }

  #record(stream: Readable, kind: LogStream): void {
    stream.on('data', (chunk: Buffer) => {
      // After the exit record, a background child may still write; nobody can ask for that any more.
      if (this.log.isEnded) return;
      const mayGoOn = this.log.append(buildRecords(kind, chunk));
      if (mayGoOn) return;
      stream.pause();
      void this.log.whenDrained().then(() => stream.resume());
    });
    stream.on('error', () => undefined);
  }

  /**
   * Waits for the pipes to close; not for ever, because a background child may keep them open. What the program itself
   * has written lies in the pipes and is read before they can be quiet or go beyond what pipes hold.
   */
  async #drain(streams: readonly Readable[], isClosed: Promise<void>): Promise<void> {
    const finished = { value: false };
    const closing = isClosed.then(() => (finished.value = true));
    const controller = new AbortController();
    const { signal } = controller;
    const start = this.log.endOffset;
    for (let quiet = 0; quiet < QUIET_ROUNDS && this.log.endOffset - start < PIPE_BYTES; ) {
      const before = this.log.endOffset;
      await Promise.race([
        closing,
        this.#options.clock.sleep(QUIET_ROUND_MS, { signal }).catch(() => undefined),
      ]);
      // After a busy moment the timer comes first: one turn more, so that what has arrived is read.
      await nextTurn();
      if (finished.value) break;
      const isQuiet = this.log.endOffset === before && streams.every((stream) => !stream.isPaused());
      quiet = isQuiet ? quiet + 1 : 0;
    }
    controller.abort();
  }

  #watchTimeout(): void {
    const seconds = this.request.limits.timeout_seconds;
    if (seconds === undefined) return;
    const controller = new AbortController();
    void this.ended.then(() => controller.abort());
    void this.#options.clock.sleep(seconds * 1000, { signal: controller.signal }).then(
      () => {
        this.#hasTimedOut = true;
        return this.stop();
      },
      () => undefined,
    );
  }

  async #failStart(error: NodeJS.ErrnoException): Promise<void> {
    const { env, cwd, request } = this.#options;
    const fault = await diagnoseSpawnError({ program: request.argv[0] ?? '', cwd, path: env['PATH'] }, error);
    await this.#finish({
      exit_code: null,
      signal: null,
      error: { code: fault.code, message: fault.message },
    });
  }

  async #finish({ exit_code, signal, error = null }: EndFacts): Promise<void> {
    if (this.#exit !== null) return;
    const facts = signal === 'SIGKILL' ? await readMemoryFacts() : undefined;
    const oomKilled = (facts?.oomKills ?? 0) > (this.#oomKillsBefore ?? 0);
    const exit: ProcessExit = {
      exit_code,
      signal,
      oom_killed: oomKilled,
      memory_limit_bytes: oomKilled ? (facts?.limitBytes ?? null) : null,
      timed_out: this.#hasTimedOut,
      error,
      ended_at: toIsoTime(this.#options.clock.now()),
    };
    this.#exit = exit;
    this.input.close();
    this.log.append([[buildLogRecord(LOG_STREAM.exit, Buffer.from(JSON.stringify(exit)))]]);
    this.log.end();
    this.#closed.resolve();
  }
}

/** A chunk as records, without copying its bytes. */
function buildRecords(kind: LogStream, chunk: Uint8Array): LogPieces[] {
  const records: LogPieces[] = [];
  for (let at = 0; at < chunk.length; at += LOG_MAX_RECORD_BYTES) {
    const part = chunk.subarray(at, at + LOG_MAX_RECORD_BYTES);
    records.push([buildLogHeader(kind, part.length), part]);
  }
  return records;
}
