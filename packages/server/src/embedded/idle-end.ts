/** An embedded server ends itself when nothing has used it for a while and no sandbox is left. */
import type { Clock } from '@omnigent/protocol';

export interface IdleEndOptions {
  readonly clock: Clock;
  readonly idleMs: number;
  /** Whether something uses the server now: open requests, launches, deletions. */
  readonly isBusy: () => boolean;
  /** How many sandboxes there are. */
  readonly countSandboxes: () => Promise<number>;
  readonly signal: AbortSignal;
}

const CHECK_MS = 1_000;

/** Resolves when the server was idle and empty for `idleMs` without a break; rejects when the signal aborts. */
export async function waitUntilIdle(options: IdleEndOptions): Promise<void> {
  const { clock, idleMs, isBusy, countSandboxes, signal } = options;
  let idleSince = clock.monotonicMs();
  for (;;) {
    await clock.sleep(CHECK_MS, { signal });
    const isIdle = !isBusy() && (await countSandboxes()) === 0 && !isBusy();
    if (!isIdle) idleSince = clock.monotonicMs();
    else if (clock.monotonicMs() - idleSince >= idleMs) return;
  }
}
