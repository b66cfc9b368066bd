/** Creating in a namespace whose quota is used up: room may come, so it is waited for. */
import type { Clock } from '@omnigent/protocol';
import { isClusterError } from '../api/cluster-error.ts';

export interface RoomOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly budgetMs: number;
  readonly onWaiting: (message: string) => void;
}

/** A quota raises no event that may be followed, so room is asked for again at this pace. */
const PACE_MS = 3_000;

/** Creates as soon as there is room. @throws the last refusal once the budget is spent; at once whatever else goes wrong. */
export async function createWithRoom<T>(options: RoomOptions, create: () => Promise<T>): Promise<T> {
  const { clock, signal, budgetMs, onWaiting } = options;
  const deadlineMs = clock.monotonicMs() + budgetMs;
  let isTold = false;
  for (;;) {
    try {
      return await create();
    } catch (error) {
      const leftMs = deadlineMs - clock.monotonicMs();
      if (!isClusterError(error, 'quota_exceeded') || leftMs <= 0) throw error;
      if (!isTold) onWaiting(`waiting for room: ${error.message}`);
      isTold = true;
      await clock.sleep(Math.min(PACE_MS, leftMs), { signal });
    }
  }
}
