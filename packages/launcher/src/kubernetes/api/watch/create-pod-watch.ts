/** The shared watch: starts with the first subscriber, and stops some time after the last. */
import type { Clock, RandomBytes } from '@omnigent/protocol';
import type { ClientContext } from '../client/call.ts';
import { POD_WATCH_DEFAULTS } from '../pod-watch.ts';
import type { PodWatch, PodWatchHealth } from '../pod-watch.ts';
import { createLinger } from './linger.ts';
import type { PodChange } from './pod-store.ts';
import { createSubscriptions } from './subscriptions.ts';
import type { WatchTimes } from './watch-loop.ts';
import { startWatchRun } from './watch-run.ts';
import type { WatchRun } from './watch-run.ts';

export interface PodWatchOptions {
  readonly context: ClientContext;
  /** Of the Pods to watch. */
  readonly labels: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly times?: Partial<WatchTimes>;
}

export interface ClosablePodWatch extends PodWatch {
  /** Ends the watch and every subscription; nothing is told afterwards and no socket is left. */
  close(): Promise<void>;
}

/** A watch that begins with its first subscriber. */
export function createPodWatch(options: PodWatchOptions): ClosablePodWatch {
  const times = { ...POD_WATCH_DEFAULTS, ...options.times };
  const linger = createLinger({ clock: options.clock, lingerMs: times.lingerMs, onEnd: stop });
  const subscriptions = createSubscriptions(() => linger.begin());
  let health: PodWatchHealth = { state: 'idle' };
  let run: WatchRun | null = null;
  let closed = false;

  function updateHealth(next: Exclude<PodWatchHealth, { state: 'idle' }>): void {
    const isNew = next.state !== health.state;
    if (next.state === 'failing' && health.state === 'failing') health = { ...next, since: health.since };
    else health = next;
    if (next.state === 'failing' && isNew) subscriptions.tellAll({ type: 'trouble', error: next.error });
  }

  async function stop(): Promise<void> {
    const stopping = run;
    run = null;
    await stopping?.stop();
    if (run === null) health = { state: 'idle' };
  }

  function publish(changes: readonly PodChange[]): void {
    subscriptions.publish(changes);
  }

  return {
    subscribe(subscribing) {
      const subscriber = subscriptions.add(subscribing);
      if (closed) subscriber.close();
      if (closed) return subscriber;
      linger.cancel();
      run ??= startWatchRun({ ...options, times, publish, onHealth: updateHealth });
      run.greet(subscriber);
      if (health.state === 'failing') subscriber.tell({ type: 'trouble', error: health.error });
      return subscriber;
    },
    health: () => health,
    async close() {
      closed = true;
      subscriptions.closeAll();
      linger.cancel();
      await stop();
    },
  };
}
