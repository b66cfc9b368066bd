/** Waits for the end of a host. */
import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import type { Clock } from '@omnigent/protocol';

/** The end of a host that an earlier server has started raises no event here: it is not our child. Rare, so seldom is enough. */
const LOOK_MS = 500;

/** How a process ended. */
export type End = Pick<ChildProcess, 'exitCode' | 'signalCode'>;

/** Resolves when our child has ended. Rejects when the signal aborts. */
export async function waitForChild(child: ChildProcess, signal: AbortSignal): Promise<End> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit', { signal });
  return { exitCode: child.exitCode, signalCode: child.signalCode };
}

/** Resolves when `isRunning` says so no more. Rejects when the signal aborts. */
export async function waitForOther(
  isRunning: () => Promise<boolean>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<End> {
  while (await isRunning()) await clock.sleep(LOOK_MS, { signal, unref: true });
  return { exitCode: null, signalCode: null };
}
