/** A clock that stands still until it is told to go on. */
import type { Clock, SleepOptions } from '@omnigent/protocol';

interface Sleeper {
  readonly dueMs: number;
  readonly delayMs: number;
  readonly order: number;
  readonly wake: () => void;
}

export interface FakeClockOptions {
  /** Wall-clock time at the start, in milliseconds since 1970. */
  readonly startMs?: number;
}

export interface FakeClock extends Clock {
  /** Goes on by so much, waking sleepers in the order in which they are due; what they do runs in between. */
  advance(deltaMs: number): Promise<void>;
  /** Goes on to the next sleeper that is due and wakes it; false when nobody sleeps. */
  advanceToNext(): Promise<boolean>;
  /** Moves the wall clock alone, as a suspended machine or an administrator does. */
  jump(deltaMs: number): void;
  /** Delays of those that sleep now, from now, in order. */
  pending(): readonly number[];
  /** Delays of those that sleep now, as they asked for them; tells a deadline that runs from one that was called off. */
  requested(): readonly number[];
  /** Resolves once somebody sleeps for about `delayMs` (within `toleranceMs`), counted from now. */
  untilSleeping(delayMs: number, toleranceMs?: number): Promise<void>;
}

const START_MS = Date.UTC(2026, 0, 1);

/** Lets everything that is ready run: microtasks, timers that are due, and sockets. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Sleepers {
  add(options: SleepOptions & { readonly delayMs: number; readonly nowMs: number }): Promise<void>;
  /** The one that is due first, no later than that. */
  findNext(untilMs: number): Sleeper | undefined;
  list(): readonly Sleeper[];
}

function createSleepers(): Sleepers {
  const sleepers = new Set<Sleeper>();
  let order = 0;
  return {
    add: ({ delayMs, nowMs, signal }) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason);
        const sleeper = { dueMs: nowMs + Math.max(0, delayMs), delayMs, order: order++, wake };
        const abort = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        function wake(): void {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', abort);
          resolve();
        }
        signal?.addEventListener('abort', abort, { once: true });
        sleepers.add(sleeper);
      }),
    findNext: (untilMs) =>
      [...sleepers]
        .filter(({ dueMs }) => dueMs <= untilMs)
        .sort((one, other) => one.dueMs - other.dueMs || one.order - other.order)[0],
    list: () => [...sleepers],
  };
}

/** A clock for tests; nothing happens in it by itself. */
export function createFakeClock({ startMs = START_MS }: FakeClockOptions = {}): FakeClock {
  const sleepers = createSleepers();
  let elapsedMs = 0;
  let offsetMs = startMs;

  async function wakeUntil(untilMs: number): Promise<void> {
    for (let next = sleepers.findNext(untilMs); next !== undefined; next = sleepers.findNext(untilMs)) {
      elapsedMs = Math.max(elapsedMs, next.dueMs);
      next.wake();
      await settle();
    }
  }

  function listPending(): number[] {
    return sleepers.list().map(({ dueMs }) => dueMs - elapsedMs);
  }

  return {
    now: () => offsetMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    sleep: (delayMs, options = {}) => sleepers.add({ ...options, delayMs, nowMs: elapsedMs }),
    async advance(deltaMs) {
      const untilMs = elapsedMs + deltaMs;
      await settle();
      await wakeUntil(untilMs);
      elapsedMs = untilMs;
      await settle();
    },
    async advanceToNext() {
      await settle();
      const next = sleepers.findNext(Number.POSITIVE_INFINITY);
      if (next !== undefined) await wakeUntil(next.dueMs);
      return next !== undefined;
    },
    jump(deltaMs) {
      offsetMs += deltaMs;
    },
    pending: () => listPending().sort((one, other) => one - other),
    requested: () => sleepers.list().map(({ delayMs }) => delayMs),
    async untilSleeping(delayMs, toleranceMs = 0) {
      while (!listPending().some((leftMs) => Math.abs(leftMs - delayMs) <= toleranceMs)) await settle();
    },
  };
}
