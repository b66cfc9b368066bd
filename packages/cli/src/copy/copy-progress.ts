/** A live line with what has been copied. */
import type { Clock } from '@omnigent/protocol';
import type { Progress } from '../output/progress.ts';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
const SHOW_EVERY_MS = 100;

/** Bytes as people read them: `4.2 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < UNITS.length - 1; unit += 1) value /= 1000;
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Counts the bytes of one copy. */
export class CopyProgress {
  readonly #progress: Progress;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #total: number | undefined;
  #shownAt = Number.NEGATIVE_INFINITY;
  #bytes = 0;

  constructor(
    output: { readonly progress: Progress; readonly clock: Clock },
    name: string,
    /** Undefined for a tree, whose size nobody knows before its end. */
    total: number | undefined,
  ) {
    this.#progress = output.progress;
    this.#clock = output.clock;
    this.#name = name;
    this.#total = total;
  }

  /** So many bytes are copied in all. */
  reach(bytes: number): void {
    this.#bytes = bytes;
    const now = this.#clock.monotonicMs();
    if (now - this.#shownAt < SHOW_EVERY_MS) return;
    this.#shownAt = now;
    const of = this.#total === undefined ? '' : ` of ${formatBytes(this.#total)}`;
    this.#progress.showLive(`${this.#name}  ${formatBytes(bytes)}${of}`);
  }

  /** Counts what passes through. */
  async *count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.reach(this.#bytes + chunk.length);
      yield chunk;
    }
  }
}
