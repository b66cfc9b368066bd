/** Bytes that come in chunks of any size, taken in the sizes that a format has. */
import { SandboxError } from '../errors.ts';

export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Between 1 and `most` bytes; undefined at the end. */
  async takeSome(most: number): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return undefined;
      this.#rest = value;
    }
    const taken = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  /** Exactly `size` bytes. @throws SandboxError `archive_invalid` at an early end. */
  async take(size: number): Promise<Uint8Array> {
    if (this.#rest.length >= size) return (await this.takeSome(size)) ?? new Uint8Array();
    const whole = new Uint8Array(size);
    for (let filled = 0; filled < size; ) {
      const some = await this.takeSome(size - filled);
      if (some === undefined) throw cutShort();
      whole.set(some, filled);
      filled += some.length;
    }
    return whole;
  }

  async skip(size: number): Promise<void> {
    for (let left = size; left > 0; ) {
      const some = await this.takeSome(left);
      if (some === undefined) throw cutShort();
      left -= some.length;
    }
  }

  /** Takes what is still to come and forgets it. */
  async drain(): Promise<void> {
    while ((await this.takeSome(Number.MAX_SAFE_INTEGER)) !== undefined);
  }

  /** Tells the writer that nothing more is wanted. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

export function cutShort(): SandboxError {
  return new SandboxError('archive_invalid', 'expected the whole archive, found it cut short');
}
