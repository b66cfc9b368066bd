/** Runs something again and again until told to stop; one failure does not end it. */
import type { Clock } from '@omnigent/protocol';
import type { Report } from '../lifecycle/service-options.ts';

export interface EveryOptions {
  readonly name: string;
  readonly intervalMs: number;
  /** Whether the first time is after an interval, too. */
  readonly isLater?: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: Report;
}

/** Resolves when the signal aborts. */
export async function runEvery(options: EveryOptions, run: () => Promise<unknown>): Promise<void> {
  const { name, intervalMs, isLater = false, clock, signal, report } = options;
  const pause = () => clock.sleep(intervalMs, { signal, unref: true }).catch(() => undefined);
  if (isLater) await pause();
  while (!signal.aborted) {
    try {
      await run();
    } catch (error) {
      report(`${name} failed; it is tried again`, { error });
    }
    await pause();
  }
}
