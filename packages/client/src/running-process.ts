/** A program that runs in a sandbox: its output, its input, its end. */
import {
  HOST_ROUTES,
  LOG_STREAM,
  SERVER_ROUTES,
  SIGNALS,
  SandboxError,
  inputAnswerSchema,
  isSandboxError,
  processSchema,
  toExitStatus,
} from '@omnigent/protocol';
import type {
  Clock,
  LogRecord,
  Process,
  ProcessExit,
  SignalName,
  StartProcessInput,
  TerminalSize,
} from '@omnigent/protocol';
import { AttachSession } from './attach-session.ts';
import type { AttachOptions } from './attach-session.ts';
import { followProcess, parseExit } from './follow-process.ts';
import type { Http } from './http.ts';
import { Reattacher } from './reattach.ts';
import type { WebSocketFactory } from './web-socket.ts';

export interface ProcessContext {
  readonly http: Http;
  readonly webSocket: WebSocketFactory;
  readonly sandboxId: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly reattachBudgetMs: number;
}

/** How a program ended; success and failure carry the same fields. */
export interface ExecResult {
  readonly command: readonly string[];
  /** Decoded as UTF-8, complete unless {@link truncated}. */
  readonly stdout: string;
  readonly stderr: string;
  /** As a shell reports it: the code, 128 + n for a signal, 126 or 127 for a program that did not start. */
  readonly exitCode: number;
  readonly signal: SignalName | null;
  readonly durationMs: number;
  readonly timedOut: boolean;
  readonly isCanceled: boolean;
  readonly oomKilled: boolean;
  /** Whether the exit code is not 0. */
  readonly failed: boolean;
  /** Whether the oldest output was no longer kept when it was read. */
  readonly truncated: boolean;
  /** Why the program did not start. */
  readonly error: ProcessExit['error'];
}

export interface OutputOptions {
  readonly offset?: number;
  readonly signal?: AbortSignal | undefined;
}

const INPUT_CHUNK_BYTES = 64 * 1024;

export class RunningProcess {
  readonly id: string;
  readonly #context: ProcessContext;
  readonly #start: StartProcessInput | undefined;
  #isStarted: boolean;
  /** Where its input goes on; undefined: somebody else may have written before. */
  #inputOffset: number | undefined;
  #exit: ProcessExit | undefined;

  /** @param start the request that starts it with the first read of its output; absent when it runs already. */
  constructor(context: ProcessContext, id: string, start?: StartProcessInput) {
    this.id = id;
    this.#context = context;
    this.#start = start;
    this.#isStarted = start === undefined;
    this.#inputOffset = start === undefined ? undefined : 0;
  }

  /** The exit, once {@link output} has been read to its end. */
  get exit(): ProcessExit | undefined {
    return this.#exit;
  }

  /** Starts the program without reading its output; harmless when it has been started. */
  async ensureStarted(signal?: AbortSignal): Promise<void> {
    if (this.#isStarted) return;
    await this.#retry(signal, () =>
      this.#context.http.json(
        { method: 'PUT', path: this.#path(HOST_ROUTES.process(this.id)), json: this.#start, signal },
        processSchema,
      ),
    );
    this.#isStarted = true;
  }

  /** The records of its output from an offset on, to the exit record; goes on by itself after interruptions. */
  async *output(options: OutputOptions = {}): AsyncGenerator<LogRecord> {
    const { http, sandboxId, clock, random, reattachBudgetMs } = this.#context;
    const records = followProcess({
      http,
      sandboxId,
      clock,
      random,
      budgetMs: reattachBudgetMs,
      processId: this.id,
      offset: options.offset ?? 0,
      signal: options.signal,
      onStarted: () => (this.#isStarted = true),
      ...(this.#isStarted || this.#start === undefined ? {} : { start: this.#start }),
    });
    for await (const record of records) {
      if (record.stream === LOG_STREAM.exit) this.#exit = parseExit(record);
      yield record;
    }
  }

  /**
   * Looks at the program through a session that can also type, beside other viewers. A program that was only prepared is
   * started first.
   *
   * @example
   * await using session = await program.attach({ size: { columns: 80, rows: 24 } });
   * session.write(new TextEncoder().encode('ls\n'));
   * for await (const update of session.updates()) if (update.type === 'output') show(update.data);
   */
  async attach(options: AttachOptions = {}): Promise<AttachSession> {
    await this.ensureStarted(options.signal);
    return new AttachSession({ ...this.#context, processId: this.id }, options);
  }

  async read(signal?: AbortSignal): Promise<Process> {
    return await this.#context.http.json(
      { method: 'GET', path: this.#path(HOST_ROUTES.process(this.id)), signal },
      processSchema,
    );
  }

  /** Sends a signal to the program and everything that it started. */
  async signal(name: SignalName, signal?: AbortSignal): Promise<void> {
    await this.#context.http.send({
      method: 'POST',
      path: this.#path(HOST_ROUTES.signal(this.id)),
      json: { signal: name },
      signal,
    });
  }

  async resize(size: TerminalSize, signal?: AbortSignal): Promise<void> {
    await this.#context.http.send({
      method: 'POST',
      path: this.#path(HOST_ROUTES.resize(this.id)),
      json: size,
      signal,
    });
  }

  /**
   * Writes to the program's stdin; a repeat after an interruption is harmless. To a program found by its id it goes on after what was
   * written before. Returns false when the program no longer reads.
   */
  async write(
    bytes: Uint8Array,
    options: { readonly eof?: boolean; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<boolean> {
    for (let at = 0; at === 0 || at < bytes.length; at += INPUT_CHUNK_BYTES) {
      const part = bytes.slice(at, at + INPUT_CHUNK_BYTES);
      const isLast = at + INPUT_CHUNK_BYTES >= bytes.length;
      const isOpen = await this.#writePart(part, {
        eof: isLast && options.eof === true,
        signal: options.signal,
      });
      if (!isOpen) return false;
    }
    return true;
  }

  async #writePart(
    part: Uint8Array,
    { eof, signal }: { readonly eof: boolean; readonly signal: AbortSignal | undefined },
  ): Promise<boolean> {
    const offset = this.#inputOffset ?? (await this.#retry(signal, () => this.read(signal))).input.offset;
    this.#inputOffset = offset;
    try {
      const query = { offset, eof: eof ? 1 : 0 };
      const path = this.#path(HOST_ROUTES.input(this.id));
      const answer = await this.#retry(signal, () =>
        this.#context.http.json({ method: 'PUT', path, query, body: part, signal }, inputAnswerSchema),
      );
      this.#inputOffset = offset + part.length;
      return eof || !answer.closed;
    } catch (error) {
      if (isSandboxError(error) && (error.code === 'input_closed' || error.code === 'process_ended'))
        return false;
      throw error;
    }
  }

  #path(hostPath: string): string {
    return SERVER_ROUTES.host(this.#context.sandboxId, hostPath);
  }

  async #retry<Result>(signal: AbortSignal | undefined, call: () => Promise<Result>): Promise<Result> {
    const { clock, random, reattachBudgetMs } = this.#context;
    const reattacher = new Reattacher({ clock, random, budgetMs: reattachBudgetMs, signal });
    for (;;) {
      try {
        return await call();
      } catch (error) {
        await reattacher.waitAfter(error);
      }
    }
  }
}

/** Exit status of a process whose output has been read to its end. */
export function toResultStatus(process: RunningProcess): number {
  if (process.exit === undefined)
    throw new SandboxError('host_offline', `process ${process.id} has no exit status yet`);
  return toExitStatus(process.exit, SIGNALS);
}
