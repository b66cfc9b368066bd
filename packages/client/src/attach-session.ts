/**
 * A program that this viewer is attached to: what it prints, what is typed. Goes on by itself after interruptions, at the last
 * byte that was seen, and types nothing twice.
 */
import {
  ATTACH_FRAME,
  LOG_STREAM,
  LogDecoder,
  SIGNALS,
  SandboxError,
  isSandboxError,
  toExitStatus,
} from '@omnigent/protocol';
import type {
  AttachEvent,
  AttachFrame,
  AttachMode,
  LogStream,
  ProcessExit,
  TerminalSize,
} from '@omnigent/protocol';
import { AttachLink, isLost } from './attach-link.ts';
import type { AttachLinkOptions } from './attach-link.ts';
import { parseExit, toLostError } from './follow-process.ts';
import { InputQueue } from './input-queue.ts';
import { Reattacher } from './reattach.ts';

export interface AttachOptions {
  /** Where in the log to begin. Absent: with what the terminal shows now, or with what comes when there is no terminal. */
  readonly offset?: number;
  /** `follow` only looks on, `drive` (the default) types when nobody else does, `take` types from now on. */
  readonly mode?: AttachMode;
  /** Size of this viewer's terminal. */
  readonly size?: TerminalSize;
  /** Aborting ends the session, not the program. */
  readonly signal?: AbortSignal;
}

export interface AttachContext extends AttachLinkOptions {
  readonly random: () => number;
  readonly reattachBudgetMs: number;
}

/** What an attached program lets its viewer know. */
export type AttachUpdate =
  /** Bytes of its output; `stream` is stdout, stderr or pty of `LOG_STREAM`. */
  | { readonly type: 'output'; readonly stream: LogStream; readonly data: Uint8Array }
  /** Escape sequences that bring a terminal to what the program's shows; `isFirst` of several pieces. */
  | { readonly type: 'screen'; readonly data: Uint8Array; readonly isFirst: boolean }
  /** Output was left out: this viewer was too slow or away for long (a screen follows), or it is no longer kept. */
  | { readonly type: 'skipped' }
  | { readonly type: 'driver'; readonly driver: string | null; readonly isDriver: boolean }
  | { readonly type: 'size'; readonly size: TerminalSize }
  | { readonly type: 'refused'; readonly code: string; readonly message: string }
  | { readonly type: 'interrupted'; readonly error: SandboxError }
  | { readonly type: 'attached'; readonly size: TerminalSize | null };

/** A first connection that does not come about is not waited for as long as one that breaks. */
const FIRST_BUDGET_MS = 10_000;
/** Typed bytes that the sandbox has not confirmed; beyond, a writer has to wait. */
const MAX_UNCONFIRMED_BYTES = 256 * 1024;

export class AttachSession implements AsyncDisposable {
  /** Name of this viewer. */
  readonly id = `v-${crypto.randomUUID()}`;
  readonly #context: AttachContext;
  readonly #input = new InputQueue();
  readonly #leaving = new AbortController();
  #link: AttachLink | undefined;
  #offset: number | undefined;
  #decoder: LogDecoder | undefined;
  #size: TerminalSize | undefined;
  #mode: AttachMode;
  #isDriver = false;
  #isAttached = false;
  #isScreenBegun = false;
  #wantsEof = false;
  #exit: ProcessExit | undefined;
  #roomWaiters: (() => void)[] = [];

  constructor(context: AttachContext, options: AttachOptions = {}) {
    this.#context = context;
    this.#offset = options.offset;
    this.#size = options.size;
    this.#mode = options.mode ?? 'drive';
    options.signal?.addEventListener('abort', () => this.detach(), { once: true });
    if (options.signal?.aborted === true) this.detach();
  }

  /** How the program ended; undefined while it runs or after {@link detach}. */
  get exit(): ProcessExit | undefined {
    return this.#exit;
  }

  /** The program's exit status as a shell reports it; undefined as {@link exit} is. */
  get exitCode(): number | undefined {
    return this.#exit === undefined ? undefined : toExitStatus(this.#exit, SIGNALS);
  }

  /** Whether this viewer types. */
  get isDriver(): boolean {
    return this.#isDriver;
  }

  /**
   * What the program lets know, until it has ended or this viewer detached. To ask for the next update says that the last one
   * has been dealt with: a viewer that asks slowly is skipped ahead to the present screen.
   */
  async *updates(): AsyncGenerator<AttachUpdate> {
    const { clock, random, reattachBudgetMs } = this.#context;
    const { signal } = this.#leaving;
    const first = new Reattacher({ clock, random, signal, budgetMs: FIRST_BUDGET_MS });
    const later = new Reattacher({ clock, random, signal, budgetMs: reattachBudgetMs });
    while (!signal.aborted) {
      try {
        yield* this.#follow(() => later.succeed());
        return;
      } catch (thrown) {
        if (signal.aborted) return;
        const error = this.#toError(thrown);
        if (this.#isAttached) yield { type: 'interrupted', error };
        await (this.#isAttached ? later : first).waitAfter(error).catch((cause: unknown) => {
          if (!signal.aborted) throw cause;
        });
      }
    }
  }

  /**
   * Types. Nothing is typed twice; what was under way when another viewer took over is dropped. Resolves when there is room for
   * more.
   *
   * @throws SandboxError `not_driver` in a session that only follows.
   */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#mode === 'follow') throw new SandboxError('not_driver', 'this viewer only follows');
    if (bytes.length === 0) return;
    this.#input.push(bytes.slice());
    if (this.#isDriver) this.#sendInput();
    else this.#link?.control({ type: 'drive', force: false });
    while (this.#input.byteCount > MAX_UNCONFIRMED_BYTES && !this.#leaving.signal.aborted)
      await new Promise<void>((resolve) => this.#roomWaiters.push(resolve));
  }

  /** End of input, after everything that was typed. */
  end(): void {
    this.#wantsEof = true;
    this.#sendInput();
  }

  /** The viewer's terminal has another size; the program's takes it when this viewer drives. */
  resize(size: TerminalSize): void {
    this.#size = size;
    this.#link?.control({ type: 'resize', ...size });
  }

  /** Becomes the driver, whoever was before. */
  take(): void {
    this.#mode = 'drive';
    this.#link?.control({ type: 'drive', force: true });
  }

  /** Leaves; the program goes on. */
  detach(): void {
    this.#link?.control({ type: 'detach' });
    this.#leaving.abort();
    this.#link?.close();
    this.#wakeWriters();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.detach();
  }

  async *#follow(onProgress: () => void): AsyncGenerator<AttachUpdate> {
    const link = await AttachLink.open(this.#context, this.#query(), this.#leaving.signal);
    this.#link = link;
    // A record that was cut is sent again as a whole.
    this.#decoder = this.#offset === undefined ? undefined : new LogDecoder(this.#offset);
    try {
      for await (const arrival of link.arrivals()) {
        onProgress();
        if ('kind' in arrival) {
          yield* this.#takeFrame(arrival);
          link.acknowledge(arrival.bytes.length);
        } else yield* this.#takeEvent(arrival);
        if (this.#exit !== undefined) return;
      }
    } finally {
      this.#link = undefined;
      link.close();
    }
  }

  #query() {
    const { columns, rows } = this.#size ?? {};
    // Who took over once does not do so again by coming back.
    const mode = this.#isAttached && this.#mode === 'take' ? 'drive' : this.#mode;
    return { viewer: this.id, mode, offset: this.#offset, columns, rows };
  }

  *#takeFrame({ kind, offset, bytes }: AttachFrame): Generator<AttachUpdate> {
    if (kind === ATTACH_FRAME.screen) {
      yield { type: 'screen', data: bytes, isFirst: !this.#isScreenBegun };
      this.#isScreenBegun = true;
      return;
    }
    this.#isScreenBegun = false;
    this.#decoder ??= new LogDecoder(offset);
    for (const record of this.#decoder.push(bytes)) {
      this.#offset = record.end;
      if (record.stream === LOG_STREAM.exit) this.#exit = parseExit(record);
      else if (record.stream === LOG_STREAM.gap) yield { type: 'skipped' };
      else yield { type: 'output', stream: record.stream, data: record.data };
    }
  }

  *#takeEvent(event: AttachEvent): Generator<AttachUpdate> {
    if (event.type === 'attached') {
      this.#isAttached = true;
      this.#isScreenBegun = false;
      if (event.offset !== this.#offset) this.#jump(event.offset);
      yield { type: 'attached', size: event.size };
      yield this.#setDriver(event);
    } else if (event.type === 'driver') yield this.#setDriver(event);
    else if (event.type === 'size')
      yield { type: 'size', size: { columns: event.columns, rows: event.rows } };
    else if (event.type === 'resync') {
      this.#jump(event.offset);
      yield { type: 'skipped' };
    } else if (event.type === 'refused') {
      if (event.code === 'not_driver') this.#input.clear();
      this.#wakeWriters();
      yield event;
    } else if (event.type === 'input') {
      this.#input.acked(event.offset);
      if (event.closed) this.#wantsEof = false;
      this.#sendInput();
    }
  }

  /** Output goes on elsewhere in the log, at the beginning of a record. */
  #jump(offset: number): void {
    this.#offset = offset;
    this.#isScreenBegun = false;
    this.#decoder = new LogDecoder(offset);
  }

  #setDriver(facts: {
    readonly driver: string | null;
    readonly epoch: number;
    readonly input_offset: number;
  }): AttachUpdate {
    this.#isDriver = facts.driver === this.id;
    if (this.#isDriver) {
      this.#input.begin(facts.epoch, facts.input_offset);
      if (this.#size !== undefined) this.#link?.control({ type: 'resize', ...this.#size });
      this.#sendInput();
    }
    if (facts.driver !== null && !this.#isDriver) this.#input.clear();
    return { type: 'driver', driver: facts.driver, isDriver: this.#isDriver };
  }

  #sendInput(): void {
    this.#wakeWriters();
    const link = this.#link;
    if (link === undefined || !this.#isDriver) return;
    for (let frame = this.#input.take(); frame !== undefined; frame = this.#input.take()) link.input(frame);
    if (this.#wantsEof && this.#input.byteCount === 0) link.control({ type: 'eof' });
  }

  #wakeWriters(): void {
    for (const wake of this.#roomWaiters.splice(0)) wake();
  }

  #toError(thrown: unknown): SandboxError {
    if (isLost(thrown)) return new SandboxError('host_offline', 'the connection to the program broke');
    if (!isSandboxError(thrown))
      return new SandboxError('server_answer', 'the attach session broke', { cause: thrown });
    if (thrown.code === 'process_not_found' && this.#isAttached)
      return toLostError(this.#context.processId, thrown);
    return thrown;
  }
}
