/** A deadline around anything that takes a signal: DNS, TLS, exec plugins and a body that stalls are all inside. */
import type { Clock } from '@omnigent/protocol';

export interface DeadlineOptions {
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** The caller's own; its abort ends the work with its reason. */
  readonly signal: AbortSignal;
  /** The error of a deadline that passed. */
  readonly toError: () => Error;
}

/** Runs `work` until it settles, the deadline passes or the caller aborts, whichever is first. */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { clock, deadlineMs, signal, toError }: DeadlineOptions,
): Promise<T> {
  signal.throwIfAborted();
  const deadline = new AbortController();
  const done = new AbortController();
  const combined = AbortSignal.any([signal, deadline.signal]);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  combined.addEventListener('abort', () => reject(combined.reason), { once: true });
  clock.sleep(deadlineMs, { signal: done.signal, unref: true }).then(
    () => deadline.abort(toError()),
    () => undefined,
  );
  try {
    // An exec plugin does not listen to signals, so the work is raced as well as told.
    return await Promise.race([work(combined), aborted]);
  } catch (error) {
    throw combined.aborted ? combined.reason : error;
  } finally {
    done.abort();
    aborted.catch(() => undefined);
  }
}
