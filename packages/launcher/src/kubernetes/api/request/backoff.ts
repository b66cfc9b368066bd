/** Waiting times that double, spread at random so that many launches do not return in step. */
import type { RandomBytes } from '@omnigent/protocol';

/** A number from 0 up to, and without, 1. */
export function toFraction(randomBytes: RandomBytes): number {
  const [a = 0, b = 0, c = 0, d = 0] = randomBytes(4);
  return (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) / 2 ** 32;
}

export interface BackoffOptions {
  readonly minMs: number;
  readonly maxMs: number;
  readonly randomBytes: RandomBytes;
}

export interface Backoff {
  /** The next waiting time: between half and the whole of the doubled one. */
  nextMs(): number;
  /** After a success the next waiting time is the least one again. */
  reset(): void;
}

export function createBackoff({ minMs, maxMs, randomBytes }: BackoffOptions): Backoff {
  let ceilingMs = minMs;
  return {
    nextMs() {
      const delayMs = ceilingMs * (0.5 + toFraction(randomBytes) / 2);
      ceilingMs = Math.min(ceilingMs * 2, maxMs);
      return delayMs;
    },
    reset() {
      ceilingMs = minMs;
    },
  };
}

/** A waiting time that the server asked for: never less, and up to a fifth more. */
export function spreadDelay(delayMs: number, randomBytes: RandomBytes): number {
  return delayMs * (1 + toFraction(randomBytes) / 5);
}
