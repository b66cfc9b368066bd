/**
 * Reads a log from file or memory at a reader's pace. A reader that has begun with a record gets all of it, also when the log lets it go
 * meanwhile: what is no longer kept begins and ends between two records.
 */
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { OutputLog, Segment } from './output-log.ts';

export class LogReader implements AsyncDisposable {
  readonly #log: OutputLog;
  /** The segment that is read now. Its file stays open and so stays readable when it is removed. */
  #segment: Segment | undefined;
  #file: FileHandle | undefined;
  /** Bytes of whole records, read from memory and not yet given out. */
  #rest: { readonly offset: number; readonly bytes: Uint8Array } | undefined;

  constructor(log: OutputLog) {
    this.#log = log;
  }

  /** Up to `maxBytes` from an offset; empty at the present end; undefined when they are no longer kept. */
  async read(offset: number, maxBytes: number): Promise<Uint8Array | undefined> {
    if (this.#rest?.offset === offset) return this.#give(this.#rest, maxBytes);
    const place = this.#log.locate(offset);
    if (place?.kind === 'memory')
      return this.#give({ offset, bytes: this.#log.readMemory(offset, maxBytes) }, maxBytes);
    if (place === undefined)
      return this.#isWithin(offset) ? await this.#readFile(offset, maxBytes) : undefined;
    if (this.#segment !== place.segment) await this.#open(place.segment);
    return await this.#readFile(offset, maxBytes);
  }

  #give(
    { offset, bytes }: { readonly offset: number; readonly bytes: Uint8Array },
    maxBytes: number,
  ): Uint8Array {
    const isMore = bytes.length > maxBytes;
    this.#rest = isMore ? { offset: offset + maxBytes, bytes: bytes.subarray(maxBytes) } : undefined;
    return isMore ? bytes.subarray(0, maxBytes) : bytes;
  }

  /** Whether the segment that is open has bytes of this offset; its end is the end of a record. */
  #isWithin(offset: number): boolean {
    const segment = this.#segment;
    return segment !== undefined && offset >= segment.start && offset < segment.start + segment.size;
  }

  async #readFile(offset: number, maxBytes: number): Promise<Uint8Array | undefined> {
    // It went away before it was opened.
    if (this.#file === undefined || this.#segment === undefined) return undefined;
    const { start, size } = this.#segment;
    const length = Math.min(maxBytes, start + size - offset);
    const { bytesRead, buffer } = await this.#file.read(
      Buffer.allocUnsafeSlow(length),
      0,
      length,
      offset - start,
    );
    return buffer.subarray(0, bytesRead);
  }

  async #open(segment: Segment): Promise<void> {
    await this.#file?.close();
    this.#segment = segment;
    this.#file = await open(segment.path, 'r').catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
  }
}
