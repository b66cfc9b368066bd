/** Puts an end off: what is needed again in time does not end at all. */
import type { Clock } from '@omnigent/protocol';

export interface Linger {
  /** Ends in a while. */
  begin(): void;
  cancel(): void;
}

export interface LingerOptions {
  readonly clock: Clock;
  readonly lingerMs: number;
  readonly onEnd: () => Promise<void>;
}

export function createLinger({ clock, lingerMs, onEnd }: LingerOptions): Linger {
  let staying: AbortController | null = null;
  return {
    begin() {
      staying?.abort();
      staying = new AbortController();
      clock.sleep(lingerMs, { signal: staying.signal, unref: true }).then(onEnd, () => undefined);
    },
    cancel() {
      staying?.abort();
      staying = null;
    },
  };
}
