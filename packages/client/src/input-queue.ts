/**
 * Input of a viewer on its way to the program: numbered by offsets within an epoch of the driver, kept until the host has it,
 * sent again after an interruption, and dropped when another viewer typed meanwhile. Nothing arrives twice. Pure.
 */

/** Input that is on its way and not acknowledged at most: the host never holds more of a viewer. */
const MAX_IN_FLIGHT_BYTES = 64 * 1024;

export interface InputFrame {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

export class InputQueue {
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #epoch: number | undefined;
  /** Offset of the first pending byte. */
  #base = 0;
  #sent = 0;

  /** Bytes that the host has not acknowledged. */
  get byteCount(): number {
    return this.#pendingBytes;
  }

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
  }

  /** This viewer drives from now on, or still does after an interruption. */
  begin(epoch: number, inputOffset: number): void {
    // What was numbered in another epoch may have arrived in part: only its typist can tell what is still wanted.
    if (this.#epoch !== undefined && this.#epoch !== epoch) this.clear();
    if (this.#epoch === epoch) this.acked(inputOffset);
    this.#epoch = epoch;
    this.#base = inputOffset;
    this.#sent = inputOffset;
  }

  /** The host has everything before this offset. */
  acked(offset: number): void {
    for (let left = Math.min(offset - this.#base, this.#pendingBytes); left > 0; ) {
      const [first = new Uint8Array()] = this.#pending;
      const part = Math.min(left, first.length);
      if (part === first.length) this.#pending.shift();
      else this.#pending[0] = first.subarray(part);
      this.#pendingBytes -= part;
      left -= part;
    }
    this.#base = Math.max(this.#base, offset);
    this.#sent = Math.max(this.#sent, this.#base);
  }

  /** The next frame to send; undefined when there is none, or enough is on its way. */
  take(): InputFrame | undefined {
    const from = this.#sent - this.#base;
    const size = Math.min(this.#pendingBytes, MAX_IN_FLIGHT_BYTES) - from;
    if (this.#epoch === undefined || size <= 0) return undefined;
    const offset = this.#sent;
    this.#sent += size;
    return { offset, bytes: copyRange(this.#pending, from, size) };
  }

  /** Drops what is pending; another viewer drives. */
  clear(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#epoch = undefined;
    this.#base = 0;
    this.#sent = 0;
  }
}

function copyRange(parts: readonly Uint8Array[], from: number, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let at = 0;
  let skip = from;
  for (const part of parts) {
    if (at === size) break;
    const piece = part.subarray(skip, skip + size - at);
    skip = Math.max(0, skip - part.length);
    out.set(piece, at);
    at += piece.length;
  }
  return out;
}
