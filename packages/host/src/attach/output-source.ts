/** What a viewer is sent next: the log at its pace; for a terminal whose viewer is too slow, the screen of now instead. */
import { ATTACH_FRAME, buildLogGap } from '@omnigent/protocol';
import type { AttachFrame, Clock } from '@omnigent/protocol';
import type { OutputLog } from '../processes/output-log.ts';
import { LogReader } from '../processes/log-reader.ts';
import type { ScreenImage } from './screen-image.ts';

export interface OutputSourceOptions {
  readonly log: OutputLog;
  /** Where to begin; undefined: with the screen, or at the end when there is none. */
  readonly offset: number | undefined;
  /** Takes the image of the screen; there is none when the program has no terminal. */
  readonly takeImage: (() => ScreenImage | undefined) | undefined;
  readonly clock: Clock;
}

/** One step of the output. */
export type OutputStep =
  | { readonly type: 'frame'; readonly frame: AttachFrame }
  | { readonly type: 'resync'; readonly from: number; readonly offset: number }
  /** Nothing new; wait until the log goes on. */
  | { readonly type: 'wait' }
  | { readonly type: 'end' };

/** So far behind a viewer of a terminal may be for any time, and so long by any distance. */
const NEAR_BYTES = 64 * 1024;
const MAX_BEHIND_MS = 2_000;
/** A terminal's viewer that comes back is sent this much of what it missed; more, and it gets the screen. */
const MAX_REPLAY_BYTES = 1024 * 1024;
const MAX_CHUNK_BYTES = 64 * 1024;

export class OutputSource implements AsyncDisposable {
  readonly #options: OutputSourceOptions;
  readonly #reader: LogReader;
  #offset: number;
  #image: ScreenImage | undefined;
  #imageAt = 0;
  #nearSinceMs: number;

  constructor(options: OutputSourceOptions) {
    const { log, offset, takeImage, clock } = options;
    this.#options = options;
    this.#reader = new LogReader(log);
    this.#nearSinceMs = clock.monotonicMs();
    const isFar = offset !== undefined && log.endOffset - offset > MAX_REPLAY_BYTES && !log.isEnded;
    if (takeImage !== undefined && (offset === undefined || isFar || offset < log.firstOffset))
      this.#image = takeImage();
    this.#offset = this.#image?.offset ?? offset ?? log.endOffset;
  }

  /** Where the log goes on. */
  get offset(): number {
    return this.#offset;
  }

  /** The next step, of at most about so many bytes. */
  async next(maxBytes: number): Promise<OutputStep> {
    if (this.#image !== undefined) return this.#nextOfImage(this.#image, maxBytes);
    const { log, takeImage, clock } = this.#options;
    const behind = log.endOffset - this.#offset;
    if (behind <= NEAR_BYTES || log.isEnded) this.#nearSinceMs = clock.monotonicMs();
    const isTooFar = clock.monotonicMs() - this.#nearSinceMs > MAX_BEHIND_MS;
    const image = isTooFar ? takeImage?.() : undefined;
    if (image !== undefined) return this.#resync(image);
    return await this.#nextOfLog(Math.min(maxBytes, MAX_CHUNK_BYTES));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader[Symbol.asyncDispose]();
  }

  #nextOfImage({ bytes, offset }: ScreenImage, maxBytes: number): OutputStep {
    const part = bytes.subarray(this.#imageAt, this.#imageAt + Math.min(maxBytes, MAX_CHUNK_BYTES));
    this.#imageAt += part.length;
    if (this.#imageAt >= bytes.length) this.#image = undefined;
    return { type: 'frame', frame: { kind: ATTACH_FRAME.screen, offset, bytes: part } };
  }

  #resync(image: ScreenImage): OutputStep {
    const from = this.#offset;
    this.#image = image;
    this.#imageAt = 0;
    this.#offset = image.offset;
    this.#nearSinceMs = this.#options.clock.monotonicMs();
    return { type: 'resync', from, offset: image.offset };
  }

  async #nextOfLog(maxBytes: number): Promise<OutputStep> {
    const { log } = this.#options;
    const offset = this.#offset;
    const bytes = await this.#reader.read(offset, maxBytes);
    if (bytes === undefined) {
      const { firstOffset } = log;
      this.#offset = firstOffset;
      return toFrame(offset, buildLogGap({ from: offset, firstOffset }));
    }
    if (bytes.length > 0) {
      this.#offset += bytes.length;
      return toFrame(offset, bytes);
    }
    return log.isEnded && offset >= log.endOffset ? { type: 'end' } : { type: 'wait' };
  }
}

function toFrame(offset: number, bytes: Uint8Array): OutputStep {
  return { type: 'frame', frame: { kind: ATTACH_FRAME.output, offset, bytes } };
}
