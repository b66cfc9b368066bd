/** Notices that nothing has been heard for a while. */
import type { Clock } from '@omnigent/protocol';

export interface Silence {
  /** Something was heard. */
  touch(): void;
  /** Resolves once nothing has been heard for `silenceMs`, counted from now at the earliest; rejects when the signal aborts. */
  wait(silenceMs: number, signal: AbortSignal): Promise<void>;
}

export function createSilence(clock: Clock): Silence {
  let heardMs = clock.monotonicMs();
  return {
    touch() {
      heardMs = clock.monotonicMs();
    },
    async wait(silenceMs, signal) {
      const fromMs = clock.monotonicMs();
      for (;;) {
        const leftMs = Math.max(heardMs, fromMs) + silenceMs - clock.monotonicMs();
        if (leftMs <= 0) return;
        await clock.sleep(leftMs, { signal, unref: true });
      }
    },
  };
}
