/** Time and randomness as arguments, so that no test waits on the real clock. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970; may jump. */
  now(): number;
  /** Milliseconds that only grow; for measuring durations. */
  monotonicMs(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason as soon as that aborts. Keeps no process alive when `unref` is set. */
  sleep(delayMs: number, options?: SleepOptions): Promise<void>;
}

export interface SleepOptions {
  readonly signal?: AbortSignal;
  readonly unref?: boolean;
}

/** Returns that many random bytes. */
export type RandomBytes = (size: number) => Uint8Array;

function sleep(delayMs: number, { signal, unref = false }: SleepOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, delayMs);
    // A browser's timer is a number and keeps nothing alive.
    if (unref && typeof timer === 'object') timer.unref();
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Date.now(), monotonicMs: () => performance.now(), sleep };

/** Random bytes from the platform's generator. */
export const systemRandomBytes: RandomBytes = (size) => crypto.getRandomValues(new Uint8Array(size));

/** RFC 3339 text of a moment, in UTC with milliseconds. */
export function toIsoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
