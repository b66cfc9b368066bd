/** One attached viewer: output and news to it at its pace, its input and controls to the program. */
import { once } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import {
  ATTACH_FRAME,
  AttachFormatError,
  AttachMessageReader,
  attachControlSchema,
  decodeAttachFrame,
  encodeAttachFrame,
  encodeAttachMessage,
  toErrorMessage,
  isSandboxError,
} from '@omnigent/protocol';
import type {
  AttachControl,
  AttachEvent,
  AttachMessage,
  AttachQuery,
  Clock,
  TerminalSize,
} from '@omnigent/protocol';
import type { SupervisedProcess } from '../processes/supervised-process.ts';
import { OutputSource } from './output-source.ts';
import type { OutputStep } from './output-source.ts';
import type { ScreenImage } from './screen-image.ts';
import { Pace } from './pace.ts';
import type { Viewer, Viewers } from './viewers.ts';
import { Wakeup } from './wakeup.ts';

export interface AttachSessionOptions {
  readonly process: SupervisedProcess;
  readonly viewers: Viewers;
  readonly query: AttachQuery;
  readonly stream: ServerHttp2Stream;
  readonly clock: Clock;
  /** Aborts when the connection has ended. */
  readonly signal: AbortSignal;
  readonly takeImage: (() => ScreenImage | undefined) | undefined;
}

/** Input that waits for a program which does not read; beyond it the viewer has to wait. */
const MAX_WAITING_BYTES = 256 * 1024;
/** Input is confirmed at the latest when it is this much, or after this time. */
const CONFIRM_BYTES = 8 * 1024;
const CONFIRM_MS = 25;
/** News that waits for a viewer which does not read; one that lets more pile up is let go. */
const MAX_NEWS = 1_000;

export class AttachSession implements Viewer {
  readonly id: string;
  readonly #options: AttachSessionOptions;
  readonly #pace = new Pace();
  readonly #wakeup = new Wakeup();
  #news: AttachEvent[] = [];
  #waitingBytes = 0;
  /** Received and not yet said so; undefined when there is nothing to say. */
  #unconfirmedBytes: number | undefined;
  #lastInput: Promise<void> = Promise.resolve();
  #isLeaving = false;
  #isForGood = false;

  constructor(options: AttachSessionOptions) {
    this.#options = options;
    this.id = options.query.viewer;
    options.signal.addEventListener('abort', () => this.#wakeup.wake(), { once: true });
  }

  /** Serves the viewer until it leaves or everything has been said. */
  async run(): Promise<void> {
    const { process, viewers, query, signal } = this.#options;
    await using source = new OutputSource({ ...this.#options, log: process.log, offset: query.offset });
    using _joined = { [Symbol.dispose]: process.log.join() };
    const stopListening = process.log.listen(() => this.#wakeup.wake());
    viewers.join(this, query.mode);
    try {
      this.#news = [{ ...this.#driverFacts(), type: 'attached', offset: source.offset, size: process.size }];
      if (query.columns !== undefined && query.rows !== undefined)
        void this.#resize({ columns: query.columns, rows: query.rows });
      void this.#read().catch((error: unknown) => this.#breakOff(error));
      while (!signal.aborted && !this.#isLeaving && (await this.#step(source)));
    } finally {
      stopListening();
      viewers.leave(this, { isForGood: this.#isForGood });
    }
  }

  onDriver(): void {
    this.#tell({ type: 'driver', ...this.#driverFacts() });
  }

  onSize(size: TerminalSize): void {
    this.#tell({ type: 'size', ...size });
  }

  onReplaced(): void {
    this.#leave();
  }

  /** Sends what there is to send, or waits for it. Returns false when all has been said. */
  async #step(source: OutputSource): Promise<boolean> {
    this.#wakeup.reset();
    for (const event of this.#news.splice(0)) await this.#sendEvent(event);
    const { room } = this.#pace;
    const step: OutputStep = room === 0 ? { type: 'wait' } : await source.next(room);
    if (step.type === 'end') return false;
    if (step.type === 'wait') await this.#wakeup.wait();
    if (step.type === 'resync') await this.#sendEvent(step);
    if (step.type === 'frame') {
      this.#pace.sent(step.frame.bytes.length, this.#options.clock.monotonicMs());
      await this.#send({ isBinary: true, data: encodeAttachFrame(step.frame) });
    }
    return true;
  }

  async #sendEvent(event: AttachEvent): Promise<void> {
    await this.#send({ isBinary: false, data: Buffer.from(JSON.stringify(event)) });
  }

  async #send(message: AttachMessage): Promise<void> {
    const { stream, signal } = this.#options;
    if (stream.destroyed || stream.write(encodeAttachMessage(message))) return;
    await once(stream, 'drain', { signal }).catch(() => undefined);
  }

  #tell(event: AttachEvent): void {
    this.#news.push(event);
    if (this.#news.length > MAX_NEWS) this.#leave();
    this.#wakeup.wake();
  }

  #leave(): void {
    this.#isLeaving = true;
    this.#wakeup.wake();
  }

  #breakOff(error: unknown): void {
    // `close` with a code would end the stream in order first, as if the program had ended.
    if (error instanceof AttachFormatError) this.#options.stream.destroy(error);
    this.#leave();
  }

  async #read(): Promise<void> {
    const reader = new AttachMessageReader();
    const chunks: AsyncIterable<Buffer> = this.#options.stream.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      for (const message of reader.push(chunk)) this.#take(message);
      // Only what this viewer itself sends waits here; others have streams of their own.
      if (this.#waitingBytes > MAX_WAITING_BYTES) await this.#lastInput;
      if (this.#isLeaving) return;
    }
    this.#leave();
  }

  #take({ isBinary, data }: AttachMessage): void {
    if (!isBinary) {
      return this.#control(parseControl(data));
    }
    const frame = decodeAttachFrame(data);
    if (frame?.kind !== ATTACH_FRAME.input) throw new AttachFormatError('not a frame of input');
    this.#input(frame.offset, [frame.bytes], false);
  }

  #control(control: AttachControl): void {
    const { process, viewers, clock } = this.#options;
    if (control.type === 'ack') {
      this.#pace.acked(control.bytes, clock.monotonicMs());
      this.#wakeup.wake();
    } else if (control.type === 'ping') this.#tell({ type: 'pong' });
    else if (control.type === 'eof') this.#input(process.input.offset, [], true);
    else if (control.type === 'resize') void this.#resize(control);
    else if (control.type === 'signal') void process.signal(control.signal).catch(this.#refuse);
    else if (control.type === 'drive') {
      if (!viewers.drive(this.id, control)) this.#tellNotDriver();
    } else {
      this.#isForGood = true;
      this.#leave();
    }
  }

  /** Input is taken in order, and only from the driver; `epoch` keeps out what waited while another took over. */
  #input(offset: number, bytes: readonly Uint8Array[], eof: boolean): void {
    const { process, viewers } = this.#options;
    if (viewers.driver !== this.id) return this.#tellNotDriver();
    const { epoch } = viewers;
    const size = bytes.reduce((total, part) => total + part.length, 0);
    this.#waitingBytes += size;
    this.#lastInput = this.#lastInput.then(async () => {
      try {
        if (viewers.epoch !== epoch) return;
        await process.input.write(offset, bytes, { eof });
        this.#confirmInput(size);
      } catch (error) {
        this.#refuse(error);
      } finally {
        this.#waitingBytes -= size;
      }
    });
  }

  /** Says what has been received: of much input at once, of single keys a little later, for several together. */
  #confirmInput(bytes: number): void {
    const { process, clock, signal } = this.#options;
    const isWaiting = this.#unconfirmedBytes !== undefined;
    this.#unconfirmedBytes = (this.#unconfirmedBytes ?? 0) + bytes;
    const confirm = () => {
      if (this.#unconfirmedBytes === undefined) return;
      this.#unconfirmedBytes = undefined;
      this.#tell({ type: 'input', offset: process.input.offset, closed: process.input.isClosed });
    };
    if (this.#unconfirmedBytes >= CONFIRM_BYTES || process.input.isClosed) confirm();
    else if (!isWaiting) void clock.sleep(CONFIRM_MS, { signal, unref: true }).then(confirm, () => undefined);
  }

  /** The program's terminal has the size of its driver's; a follower's size is its own affair. */
  async #resize({ columns, rows }: TerminalSize): Promise<void> {
    const { process, viewers } = this.#options;
    const { size } = process;
    if (viewers.driver !== this.id || size === null) return;
    if (size.columns === columns && size.rows === rows) return;
    await process.resize({ columns, rows }).catch(this.#refuse);
  }

  readonly #refuse = (error: unknown): void => {
    const code = isSandboxError(error) ? error.code : 'internal';
    this.#tell({ type: 'refused', code, message: toErrorMessage(error) });
  };

  #tellNotDriver(): void {
    this.#tell({ type: 'refused', code: 'not_driver', message: 'another viewer types' });
    this.onDriver();
  }

  #driverFacts() {
    const { viewers, process } = this.#options;
    return { driver: viewers.driver, epoch: viewers.epoch, input_offset: process.input.offset };
  }
}

function parseControl(data: Uint8Array): AttachControl {
  try {
    const control = attachControlSchema.safeParse(JSON.parse(Buffer.from(data).toString('utf8')));
    if (control.success) return control.data;
  } catch {
    // Not even JSON.
  }
  throw new AttachFormatError('expected a control frame');
}
