/** The shared watch as its users see it: one list and one watch of the cluster, however many Pods are waited for. */
import type { ClusterError } from './cluster-error.ts';
import type { Pod } from './objects/pod.ts';

/** What is told to a subscriber, in order. */
export type PodObservation =
  /** The Pod as it is now. The same state is told once; an older one never after a newer one. */
  | { readonly type: 'present'; readonly pod: Pod }
  /** The Pod existed and is gone; `last` is how it was seen last (of this uid). */
  | { readonly type: 'deleted'; readonly last: Pod }
  /** Only with `lookUp`: the cluster has no Pod of this name. */
  | { readonly type: 'absent' }
  /** The cluster cannot be observed now; it goes on trying, and `present` or `deleted` follows once it can. */
  | { readonly type: 'trouble'; readonly error: ClusterError };

export interface PodSubscribeOptions {
  readonly name: string;
  readonly onObservation: (observation: PodObservation) => void;
  /** The Pod as a create or get just returned it: observations of another uid or of an older state are not told. */
  readonly known?: Pod;
  /**
   * Without `known`: read the Pod directly when the shared state lacks it, and say `absent` when there is none.
   * Leave it out when the Pod is yet to be created.
   */
  readonly lookUp?: boolean;
  /**
   * Reads this Pod directly whenever the watch has been silent for that long; the safety net below the watch.
   * Default {@link POD_WATCH_DEFAULTS.silenceCheckMs}; a long-lived subscriber sets more.
   */
  readonly silenceCheckMs?: number;
}

export interface PodSubscription {
  /** Nothing is told afterwards; safe to repeat. */
  close(): void;
}

/** Health of the shared watch, for `/readyz`. */
export type PodWatchHealth =
  /** Nobody waits for a Pod. */
  | { readonly state: 'idle' }
  | { readonly state: 'watching' }
  /** `watch` is not permitted; the state is read every two seconds. */
  | { readonly state: 'polling'; readonly error: ClusterError }
  /** Cannot observe; `since` is in milliseconds since 1970. */
  | { readonly state: 'failing'; readonly since: number; readonly error: ClusterError };

export interface PodWatch {
  /** Never throws; observations come in later turns of the event loop. */
  subscribe(options: PodSubscribeOptions): PodSubscription;
  health(): PodWatchHealth;
}

/** Times of the shared watch, in milliseconds unless the name says otherwise. */
export const POD_WATCH_DEFAULTS = {
  /** Direct read of a Pod when the stream has been silent for that long. */
  silenceCheckMs: 30_000,
  /** The stream is opened anew when it has been silent for that long; servers send bookmarks every minute. */
  silenceDeadlineMs: 75_000,
  /** Asked of the server, plus up to as much again at random. */
  timeoutSeconds: 240,
  /** Between lists when `watch` is forbidden. */
  pollMs: 2_000,
  /** How long `watch` is not tried again after it was forbidden. */
  watchRetryMs: 300_000,
  /** The watch stays open that long after its last subscriber. */
  lingerMs: 30_000,
  backoffMinMs: 250,
  backoffMaxMs: 15_000,
} as const;
