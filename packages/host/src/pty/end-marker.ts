/**
 * Finds the end of a program's output in its terminal. The kernel hands a terminal's bytes over in order but late: that
 * nothing can be read says nothing. So the host writes a mark into the terminal itself once the program has ended, and
 * everything before the mark is the program's output.
 */
import { Transform } from 'node:stream';
import type { TransformCallback } from 'node:stream';

export class EndMarker extends Transform {
  readonly #mark: Buffer;
  #held: Buffer = Buffer.alloc(0);
  #isExpected = false;
  #isFound = false;

  /** @param mark bytes that a terminal passes on unchanged and that no program writes. */
  constructor(mark: Uint8Array) {
    super();
    this.#mark = Buffer.from(mark);
  }

  /** From now on the mark may come. */
  expect(): void {
    this.#isExpected = true;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#isFound) return done();
    if (!this.#isExpected) return done(null, chunk);
    const bytes = Buffer.concat([this.#held, chunk]);
    const at = bytes.indexOf(this.#mark);
    const held = at === -1 ? measureBegun(bytes, this.#mark) : 0;
    this.#held = bytes.subarray(bytes.length - held);
    const shown = bytes.subarray(0, at === -1 ? bytes.length - held : at);
    if (shown.length > 0) this.push(shown);
    this.#isFound = at !== -1;
    if (this.#isFound) this.push(null);
    done();
  }
}

/** How many bytes at the end may be the beginning of the mark. */
function measureBegun(bytes: Buffer, mark: Buffer): number {
  for (let length = Math.min(mark.length - 1, bytes.length); length > 0; length -= 1) {
    if (bytes.subarray(bytes.length - length).equals(mark.subarray(0, length))) return length;
  }
  return 0;
}
