/**
 * How much a viewer is sent before it has dealt with what it got: little for a slow one, so that what it sees is never
 * long past, much for a fast one. Pure.
 */
const FIRST_WINDOW_BYTES = 128 * 1024;
const MIN_WINDOW_BYTES = 8 * 1024;
const MAX_WINDOW_BYTES = 1024 * 1024;
/** A viewer that answers later than this gets less at a time; one that answers sooner than the other, more. */
const SLOW_MS = 400;
const FAST_MS = 150;

interface Sent {
  /** Bytes sent up to and with this piece. */
  readonly end: number;
  readonly atMs: number;
}

export class Pace {
  #sent = 0;
  #acked = 0;
  #window = FIRST_WINDOW_BYTES;
  #wasFull = false;
  #inFlight: Sent[] = [];

  /** Bytes that may be sent now. */
  get room(): number {
    return Math.max(0, this.#acked + this.#window - this.#sent);
  }

  sent(bytes: number, nowMs: number): void {
    this.#sent += bytes;
    if (this.room === 0) this.#wasFull = true;
    this.#inFlight.push({ end: this.#sent, atMs: nowMs });
  }

  /** The viewer has dealt with so many bytes in all. */
  acked(bytes: number, nowMs: number): void {
    if (bytes <= this.#acked || bytes > this.#sent) return;
    this.#acked = bytes;
    const done = this.#inFlight.filter(({ end }) => end <= bytes);
    this.#inFlight.splice(0, done.length);
    const newest = done.at(-1);
    if (newest === undefined) return;
    const delayMs = nowMs - newest.atMs;
    if (delayMs > SLOW_MS) this.#window = Math.max(MIN_WINDOW_BYTES, this.#window / 2);
    if (delayMs < FAST_MS && this.#wasFull) this.#window = Math.min(MAX_WINDOW_BYTES, this.#window * 2);
    this.#wasFull = false;
  }
}
