/** The shared watch as something to wait on: what was observed of one Pod since the last look. */
import type { Clock } from '@omnigent/protocol';
import type { PodObservation, PodSubscribeOptions, PodWatch } from '../api/pod-watch.ts';

export interface InboxWaitOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Resolve after that long even when nothing came; absent means never. */
  readonly delayMs?: number;
}

export interface PodInbox extends Disposable {
  /** Everything that came since the last call, in order; empty when nothing did. */
  take(): PodObservation[];
  /** Resolves when something is there or the delay is over; rejects with the signal's reason when that aborts. */
  wait(options: InboxWaitOptions): Promise<void>;
}

function whenAborted(signal: AbortSignal, until: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true, signal: until });
  });
}

/** Subscribes to a Pod until disposed. */
export function openPodInbox(
  podWatch: PodWatch,
  options: Omit<PodSubscribeOptions, 'onObservation'>,
): PodInbox {
  let items: PodObservation[] = [];
  let wake: () => void = () => undefined;
  const subscription = podWatch.subscribe({
    ...options,
    onObservation(observation) {
      items.push(observation);
      wake();
    },
  });
  return {
    take() {
      const taken = items;
      items = [];
      return taken;
    },
    async wait({ clock, signal, delayMs }) {
      signal.throwIfAborted();
      if (items.length > 0) return;
      const over = new AbortController();
      const arrival = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const waits: Promise<void>[] = [arrival, whenAborted(signal, over.signal)];
      if (delayMs !== undefined) {
        const timeout = clock.sleep(delayMs, { signal: over.signal });
        // Called off below when something else comes first.
        timeout.catch(() => undefined);
        waits.push(timeout);
      }
      try {
        await Promise.race(waits);
      } finally {
        over.abort();
      }
    },
    [Symbol.dispose]: () => subscription.close(),
  };
}
