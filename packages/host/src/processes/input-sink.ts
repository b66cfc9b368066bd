/** The stdin of a program, written with offsets: a repeated write is skipped, one that is ahead is refused, nothing is doubled. */
import { SandboxError } from '@omnigent/protocol';
import type { Writable } from 'node:stream';

export class InputSink {
  #offset = 0;
  #isClosed: boolean;
  #stream: Writable | undefined;
  /** Resolves when the program has started, or never will. */
  readonly #ready = Promise.withResolvers<void>();
  /** Writers wait for each other, so that two requests never interleave their bytes. */
  #turn: Promise<void> = Promise.resolve();

  constructor(isOpen: boolean) {
    this.#isClosed = !isOpen;
  }

  /** How many bytes have been received. */
  get offset(): number {
    return this.#offset;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  connect(stream: Writable): void {
    this.#stream = stream;
    // The program closed its stdin or ended: what comes after is not an error of the writer.
    stream.on('error', () => this.close());
    stream.on('close', () => this.close());
    this.#ready.resolve();
  }

  /**
   * Writes a body that starts at `offset`, and ends the input after it when `eof` is set.
   *
   * @throws SandboxError `input_offset` when bytes before `offset` are missing; `input_closed` when there is something new to write and the input is closed.
   */
  async write(
    offset: number,
    body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    options: { readonly eof: boolean },
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#turn;
    this.#turn = promise;
    await before;
    try {
      if (!this.#isClosed) await this.#ready.promise;
      let at = offset;
      if (at > this.#offset) throw this.#aheadError(at);
      for await (const chunk of body) {
        const fresh = chunk.subarray(Math.max(0, Math.min(chunk.length, this.#offset - at)));
        at += chunk.length;
        if (fresh.length > 0) await this.#writeFresh(fresh);
      }
      if (options.eof && !this.#isClosed) this.close();
    } finally {
      resolve();
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stream?.end();
    this.#ready.resolve();
  }

  async #writeFresh(bytes: Uint8Array): Promise<void> {
    if (this.#isClosed)
      throw new SandboxError('input_closed', `the input is closed; ${this.#offset} bytes were received`);
    this.#offset += bytes.length;
    const stream = this.#stream;
    if (stream === undefined || stream.destroyed || stream.write(bytes)) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        stream.off('drain', done);
        stream.off('close', done);
        resolve();
      };
      stream.once('drain', done);
      stream.once('close', done);
    });
  }

  #aheadError(offset: number): SandboxError {
    return new SandboxError('input_offset', `expected input from offset ${this.#offset}, found ${offset}`, {
      details: { offset: this.#offset },
    });
  }
}
