/** Writes into a terminal without ever blocking: a terminal that nobody reads takes a few kilobytes and then says "again". */
import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import type { Clock } from '@omnigent/protocol';

const RETRY_MS = 10;
/** What a terminal's user types for "end of input". */
const END_OF_INPUT = 4;

type Settle = (error?: Error | null) => void;

export class TerminalInput extends Writable {
  readonly #descriptor: number;
  readonly #clock: Clock;
  readonly #closing = new AbortController();

  /** @param descriptor a descriptor in non-blocking mode. */
  constructor(descriptor: number, clock: Clock) {
    super();
    this.#descriptor = descriptor;
    this.#clock = clock;
  }

  /** No write after this: the descriptor's number may soon be another file's. */
  closeDescriptor(): void {
    this.#closing.abort();
    this.destroy();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, settle: Settle): void {
    void this.#writeAll(chunk).then(() => settle(), settle);
  }

  override _final(settle: Settle): void {
    void this.#writeAll(Buffer.of(END_OF_INPUT)).then(() => settle(), settle);
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#closing.signal.aborted; ) {
      const written = writeSome(this.#descriptor, bytes.subarray(at));
      at += written;
      if (at < bytes.length) await this.#clock.sleep(written > 0 ? 0 : RETRY_MS, { unref: true });
    }
  }
}

/** Writes what there is room for; 0 when there is none. Throws the system's other errors. */
export function writeSome(descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0;
    throw error;
  }
}
