/** One program: its streams go to its log, its input comes with offsets, its end is the log's last record. */
import type { Readable } from 'node:stream';
import {
  LOG_MAX_RECORD_BYTES,
  LOG_STREAM,
  SandboxError,
  buildLogHeader,
  buildLogRecord,
  isSandboxError,
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
import type { ScreenImage } from '../attach/screen-image.ts';
import { Viewers } from '../attach/viewers.ts';
import { Screen } from '../screen/screen.ts';
import { drainOutput } from './drain-output.ts';
import { endPrograms, signalPrograms, toProgram } from './end-program.ts';
import { InputSink } from './input-sink.ts';
import { readMemoryFacts } from './memory-limit.ts';
import type { LogPieces, OutputLog } from './output-log.ts';
import { PROCESS_MARK } from './process-tree.ts';
import { diagnoseSpawnError } from './program-fault.ts';
import type { Program, ProgramEnd } from './program.ts';
import { startProgram } from './start-program.ts';

export interface ProcessOptions {
  readonly id: string;
  readonly request: StartProcess;
  /** Absolute working directory. */
  readonly cwd: string;
  /** Environment of the program, complete. */
  readonly env: Readonly<Record<string, string>>;
  /** What its descendants are known by; nothing else in the sandbox has it. */
  readonly mark: string;
  readonly log: OutputLog;
  readonly clock: Clock;
}

/** Between SIGTERM and SIGKILL. */
export const KILL_GRACE_MS = 10_000;

/** An interactive shell ignores SIGTERM; that its terminal hangs up it takes seriously. */
const TERMINAL_END: readonly SignalName[] = ['SIGHUP', 'SIGTERM'];

type EndFacts = ProgramEnd & { readonly error?: ProcessExit['error'] };

export class SupervisedProcess {
  readonly id: string;
  readonly request: StartProcess;
  readonly log: OutputLog;
  readonly input: InputSink;
  readonly viewers = new Viewers();
  readonly #options: ProcessOptions;
  readonly #startedAt: number;
  readonly #ended = Promise.withResolvers<void>();
  #started: Promise<void> = Promise.resolve();
  #program: Program | undefined;
  #size: TerminalSize | null;
  #screen: Screen | undefined;
  #lastImage: ScreenImage | undefined;
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
    this.#size = options.request.pty ?? null;
    if (this.#size !== null) this.#screen = new Screen(this.#size);
  }

  get isRunning(): boolean {
    return this.#exit === null;
  }

  /** Size of its terminal; null when it has none. */
  get size(): TerminalSize | null {
    return this.#size;
  }

  /** What its terminal shows now, or showed at its end; undefined when it has none. */
  get screenImage(): ScreenImage | undefined {
    if (this.#screen === undefined) return this.#lastImage;
    return { offset: this.log.endOffset, bytes: this.#screen.render() };
  }

  /** When it ended, in milliseconds since 1970; undefined while it runs. */
  get endedAt(): number | undefined {
    return this.#exit === null ? undefined : Date.parse(this.#exit.ended_at);
  }

  /** The process group of the program; undefined when it does not run. */
  get group(): number | undefined {
    return this.isRunning ? this.#program?.pid : undefined;
  }

  /** Resolves when the exit record is in the log. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Resolves when the program runs or has failed to start. */
  get started(): Promise<void> {
    return this.#started;
  }

  /** Starts the program. Never throws: a program that cannot be started ends with an exit record that says why. */
  start(): void {
    const { request, cwd, env, mark, clock } = this.#options;
    const attempt = { request, cwd, env: { ...env, [PROCESS_MARK]: mark }, clock };
    this.#started = startProgram(attempt).then(
      (program) => this.#watch(program),
      (error: unknown) => this.#failStart(error),
    );
  }

  /** Sends a signal to the program's whole group and to descendants that left it. */
  async signal(signal: SignalName): Promise<void> {
    await this.#started;
    if (!this.isRunning || this.#program === undefined)
      throw new SandboxError('process_ended', `process ${this.id} has ended`);
    await signalPrograms(toProgram(this.#program.pid, this.#options.mark), signal);
  }

  /** Ends the program and all its descendants: SIGTERM, then SIGKILL after a grace; resolves when its exit is recorded. */
  async stop(graceMs: number = KILL_GRACE_MS): Promise<void> {
    await this.#started;
    if (!this.isRunning || this.#program === undefined) return;
    const { mark, clock } = this.#options;
    await endPrograms(toProgram(this.#program.pid, mark), {
      clock,
      graceMs,
      signals: this.request.pty === undefined ? ['SIGTERM'] : TERMINAL_END,
    });
    await this.ended;
  }

  /** @throws SandboxError `no_terminal`, `process_ended`. */
  async resize(size: TerminalSize): Promise<void> {
    await this.#started;
    if (this.request.pty === undefined)
      throw new SandboxError('no_terminal', `process ${this.id} has no terminal`);
    if (!this.isRunning) throw new SandboxError('process_ended', `process ${this.id} has ended`);
    this.#program?.resize?.(size);
    this.#screen?.resize(size);
    this.#size = size;
    this.viewers.announceSize(size);
  }

  toJSON(): Process {
    return {
      id: this.id,
      argv: this.request.argv,
      cwd: this.#options.cwd,
      pty: this.#size,
      state: this.isRunning ? 'running' : 'exited',
      pid: this.#program?.pid ?? null,
      exit: this.#exit,
      started_at: toIsoTime(this.#startedAt),
      output: { first_offset: this.log.firstOffset, end_offset: this.log.endOffset },
      input: { offset: this.input.offset, closed: this.input.isClosed },
    };
  }

  #watch(program: Program): void {
    this.#program = program;
    void readMemoryFacts().then(({ oomKills }) => (this.#oomKillsBefore = oomKills));
    if (program.input !== undefined) this.input.connect(program.input);
    for (const { kind, stream } of program.outputs) this.#record(stream, kind);
    void program.ended.then(async (end) => {
      await drainOutput(program, this.log, this.#options.clock);
      program.close();
      await this.#finish(end);
    });
    this.#watchTimeout();
  }

  #record(stream: Readable, kind: LogStream): void {
    stream.on('data', (chunk: Buffer) => {
      // After the exit record, a background child may still write; nobody can ask for that any more.
      if (this.log.isEnded) return;
      this.#screen?.push(chunk);
      const mayGoOn = this.log.append(buildRecords(kind, chunk));
      if (mayGoOn) return;
      stream.pause();
      void this.log.whenDrained().then(() => stream.resume());
    });
    stream.on('error', () => undefined);
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

  async #failStart(cause: unknown): Promise<void> {
    const { env, cwd, request } = this.#options;
    const attempt = { program: request.argv[0] ?? '', cwd, path: env['PATH'] };
    const error = cause instanceof Error ? cause : new Error(String(cause));
    const { code, message } = isSandboxError(error) ? error : await diagnoseSpawnError(attempt, error);
    await this.#finish({ exit_code: null, signal: null, error: { code, message } });
  }

  async #finish({ exit_code, signal, error = null }: EndFacts): Promise<void> {
    // A shell reports the end of a child that was killed as 128 + 9.
    const isKilled = signal === 'SIGKILL' || exit_code === 137;
    const facts = isKilled ? await readMemoryFacts() : undefined;
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
    // The image is small, the screen is not, and thousands of ended programs are kept.
    this.#lastImage = this.screenImage;
    this.#screen = undefined;
    this.input.close();
    this.log.append([[buildLogRecord(LOG_STREAM.exit, Buffer.from(JSON.stringify(exit)))]]);
    this.log.end();
    this.#ended.resolve();
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
