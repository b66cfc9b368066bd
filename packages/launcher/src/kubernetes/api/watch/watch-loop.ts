/**
 * Keeps a {@link PodStore} true: list, then watch from the list's version; reconnect at the last version when a stream
 * ends, list again when that version has expired, poll while `watch` is not permitted. It never gives up by itself.
 */
import type { Clock, RandomBytes } from '@omnigent/protocol';
import { buildTarget } from '../client/call.ts';
import type { ClientContext } from '../client/call.ts';
import { ClusterError, isClusterError } from '../cluster-error.ts';
import { toNetworkError } from '../fault/to-cluster-error.ts';
import type { PodWatchHealth } from '../pod-watch.ts';
import { createBackoff, spreadDelay, toFraction } from '../request/backoff.ts';
import type { Backoff } from '../request/backoff.ts';
import { followStream } from './follow-stream.ts';
import { listSnapshot } from './list-snapshot.ts';
import type { PodChange, PodStore } from './pod-store.ts';
import type { Silence } from './silence.ts';

/** Times of the watch; see `POD_WATCH_DEFAULTS`. */
export interface WatchTimes {
  readonly silenceCheckMs: number;
  readonly silenceDeadlineMs: number;
  readonly timeoutSeconds: number;
  readonly pollMs: number;
  readonly watchRetryMs: number;
  readonly lingerMs: number;
  readonly backoffMinMs: number;
  readonly backoffMaxMs: number;
}

export interface WatchLoopOptions {
  readonly context: ClientContext;
  readonly labels: Readonly<Record<string, string>>;
  readonly times: WatchTimes;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly store: PodStore;
  readonly silence: Silence;
  readonly onChanges: (changes: readonly PodChange[]) => void;
  readonly onHealth: (health: Exclude<PodWatchHealth, { state: 'idle' }>) => void;
}

/** Where the loop is between two rounds. */
interface LoopState {
  /** Null: list first. */
  resourceVersion: string | null;
  /** Set while `watch` is forbidden; with the monotonic time at which it is tried again. */
  polling: { readonly error: ClusterError; readonly untilMs: number } | null;
}

async function synchronize(state: LoopState, options: WatchLoopOptions, signal: AbortSignal): Promise<void> {
  const { context, labels, store, silence, onChanges } = options;
  const snapshot = await listSnapshot(context, { labels, signal });
  silence.touch();
  onChanges(store.replace(snapshot));
  state.resourceVersion = snapshot.resourceVersion;
}

async function follow(
  state: LoopState & { resourceVersion: string },
  options: WatchLoopOptions & { readonly backoff: Backoff },
  signal: AbortSignal,
): Promise<void> {
  const { times, store, onChanges, onHealth, backoff } = options;
  await followStream(options.context, {
    labels: options.labels,
    silence: options.silence,
    signal,
    resourceVersion: state.resourceVersion,
    silenceDeadlineMs: times.silenceDeadlineMs,
    timeoutSeconds: Math.round(times.timeoutSeconds * (1 + toFraction(options.randomBytes))),
    onOpen: () => onHealth({ state: 'watching' }),
    onEvent(event) {
      backoff.reset();
      state.resourceVersion = event.resourceVersion;
      if (event.type === 'present') onChanges(store.apply(event.pod));
      if (event.type === 'deleted') onChanges(store.remove(event.pod));
    },
  });
}

/** One round; returns how long to wait before the next. */
async function runRound(
  state: LoopState,
  options: WatchLoopOptions & { readonly backoff: Backoff },
  signal: AbortSignal,
): Promise<number> {
  const { backoff, clock, times, onHealth } = options;
  if (state.polling !== null && clock.monotonicMs() >= state.polling.untilMs) state.polling = null;
  if (state.polling !== null) {
    await synchronize(state, options, signal);
    backoff.reset();
    onHealth({ state: 'polling', error: state.polling.error });
    return times.pollMs;
  }
  if (state.resourceVersion === null) await synchronize(state, options, signal);
  const { resourceVersion } = state;
  if (resourceVersion !== null) await follow(Object.assign(state, { resourceVersion }), options, signal);
  return backoff.nextMs();
}

/** Whatever fails, such as an exec plugin: the loop goes on, and says why it cannot see. */
function toLoopError(error: unknown, context: ClientContext): ClusterError {
  if (error instanceof ClusterError) return error;
  return toNetworkError(error, { target: buildTarget(context, 'watch', { resource: 'pods' }) });
}

/** What a failed round changes; returns how long to wait before the next. */
function recover(
  error: ClusterError,
  state: LoopState,
  options: WatchLoopOptions & { backoff: Backoff },
): number {
  const { clock, times, backoff, randomBytes } = options;
  if (error.fault.kind === 'expired' || error.fault.kind === 'answer') state.resourceVersion = null;
  if (error.fault.kind === 'expired') return backoff.nextMs();
  if (error.verb === 'watch' && isClusterError(error, 'forbidden')) {
    state.polling = { error, untilMs: clock.monotonicMs() + times.watchRetryMs };
    return 0;
  }
  options.onHealth({ state: 'failing', since: clock.now(), error });
  return error.retryAfterMs === null ? backoff.nextMs() : spreadDelay(error.retryAfterMs, randomBytes);
}

/** Runs until the signal aborts, and rejects then. */
export async function runWatchLoop(options: WatchLoopOptions, signal: AbortSignal): Promise<never> {
  const { times, randomBytes, clock } = options;
  const backoff = createBackoff({ minMs: times.backoffMinMs, maxMs: times.backoffMaxMs, randomBytes });
  const state: LoopState = { resourceVersion: null, polling: null };
  for (;;) {
    signal.throwIfAborted();
    const delayMs = await runRound(state, { ...options, backoff }, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      return recover(toLoopError(error, options.context), state, { ...options, backoff });
    });
    await clock.sleep(delayMs, { signal, unref: true });
  }
}
