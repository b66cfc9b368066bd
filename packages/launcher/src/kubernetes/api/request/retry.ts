/** Which failures are tried again, how often and when (transient ones until the budget ends; 401 once, with fresh credentials). */
import type { Clock, RandomBytes } from '@omnigent/protocol';
import { ClusterError } from '../cluster-error.ts';
import { createBackoff, spreadDelay } from './backoff.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly signal: AbortSignal;
  /** Retries end when the next one would start later than this after the first try. */
  readonly retryForMs: number;
  /** Called before the one retry after a 401. */
  readonly refreshCredentials: () => void;
}

const BACKOFF = { minMs: 200, maxMs: 5_000 } as const;

/** Runs `attempt` until it succeeds, fails for good, or the budget ends; `failures` are those of the tries before. */
export async function retryTransient<T>(
  attempt: (failures: readonly ClusterError[]) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const { clock, randomBytes, signal, retryForMs, refreshCredentials } = options;
  const backoff = createBackoff({ ...BACKOFF, randomBytes });
  const startedMs = clock.monotonicMs();
  const failures: ClusterError[] = [];
  for (;;) {
    try {
      return await attempt(failures);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      const isFirst401 =
        error.fault.kind === 'unauthorized' && !failures.some(({ fault }) => fault.kind === 'unauthorized');
      if (!error.transient && !isFirst401) throw error;
      failures.push(error);
      if (isFirst401) {
        refreshCredentials();
        continue;
      }
      const delayMs =
        error.retryAfterMs === null ? backoff.nextMs() : spreadDelay(error.retryAfterMs, randomBytes);
      if (clock.monotonicMs() - startedMs + delayMs > retryForMs) throw error;
      await clock.sleep(delayMs, { signal });
    }
  }
}
