/** One run of the shared watch, from the first subscriber to some time after the last. */
import type { Clock, RandomBytes } from '@omnigent/protocol';
import type { ClientContext } from '../client/call.ts';
import { getPod } from '../client/pods.ts';
import { ClusterError } from '../cluster-error.ts';
import type { PodWatchHealth } from '../pod-watch.ts';
import { createPodStore } from './pod-store.ts';
import type { PodChange, PodStore } from './pod-store.ts';
import { createSilence } from './silence.ts';
import type { Silence } from './silence.ts';
import type { Subscriber } from './subscriptions.ts';
import { runWatchLoop } from './watch-loop.ts';
import type { WatchTimes } from './watch-loop.ts';

export interface WatchRunOptions {
  readonly context: ClientContext;
  readonly labels: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly times: WatchTimes;
  readonly publish: (changes: readonly PodChange[]) => void;
  readonly onHealth: (health: Exclude<PodWatchHealth, { state: 'idle' }>) => void;
}

export interface WatchRun {
  /** Tells a new subscriber what is known, looks up what is not, and reads its Pod whenever the watch is silent. */
  greet(subscriber: Subscriber): void;
  stop(): Promise<void>;
}

interface Direct {
  readonly options: WatchRunOptions;
  readonly store: PodStore;
  readonly silence: Silence;
  readonly signal: AbortSignal;
}

/** Reads one Pod and tells everyone what changed; whether there is one. */
async function readDirectly(name: string, { options, store, signal }: Direct): Promise<boolean> {
  const seen = store.get(name);
  const pod = await getPod(options.context, name, { signal, retryForMs: 0 });
  if (pod !== null) options.publish(store.apply(pod));
  else if (seen !== null) options.publish(store.remove(seen));
  return pod !== null;
}

/** Looks until the cluster says whether there is such a Pod. */
async function lookUp(subscriber: Subscriber, direct: Direct): Promise<void> {
  const { name } = subscriber.options;
  while (direct.store.get(name) === null) {
    try {
      if (!(await readDirectly(name, direct)) && direct.store.get(name) === null)
        subscriber.tell({ type: 'absent' });
      return;
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      subscriber.tell({ type: 'trouble', error });
      await direct.options.clock.sleep(direct.options.times.backoffMaxMs, {
        signal: direct.signal,
        unref: true,
      });
    }
  }
}

async function checkWhenSilent(subscriber: Subscriber, direct: Direct): Promise<never> {
  const { name, silenceCheckMs = direct.options.times.silenceCheckMs } = subscriber.options;
  for (;;) {
    await direct.silence.wait(silenceCheckMs, direct.signal);
    // The loop reports what is wrong with the cluster; this is only the net below it.
    await readDirectly(name, direct).catch(() => false);
  }
}

function tellKnown(subscriber: Subscriber, { options, store }: Direct): void {
  const { known, name } = subscriber.options;
  const last = known === undefined ? null : store.getDeleted(known.metadata.uid);
  if (known !== undefined) options.publish(store.apply(known));
  if (last !== null) subscriber.tell({ type: 'deleted', last });
  const pod = store.get(name);
  if (pod !== null) subscriber.tell({ type: 'present', pod });
}

/** Starts watching at once. */
export function startWatchRun(options: WatchRunOptions): WatchRun {
  const store = createPodStore(options.labels);
  const silence = createSilence(options.clock);
  const stopping = new AbortController();
  const done = runWatchLoop(
    { ...options, store, silence, onChanges: options.publish },
    stopping.signal,
  ).catch(() => undefined);
  return {
    greet(subscriber) {
      const signal = AbortSignal.any([subscriber.signal, stopping.signal]);
      const direct = { options, store, silence, signal };
      tellKnown(subscriber, direct);
      const { known, lookUp: isLookUp = false } = subscriber.options;
      // Both end with the subscriber or the run and report through them.
      if (known === undefined && isLookUp) lookUp(subscriber, direct).catch(() => undefined);
      checkWhenSilent(subscriber, direct).catch(() => undefined);
    },
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
