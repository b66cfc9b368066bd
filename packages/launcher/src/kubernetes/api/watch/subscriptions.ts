/** Who is told what: subscribers by Pod name, each told only what is new to it. */
import type { PodObservation, PodSubscribeOptions } from '../pod-watch.ts';
import type { Pod } from '../objects/pod.ts';
import type { PodChange } from './pod-store.ts';
import { isOlderVersion } from './resource-version.ts';

export interface Subscriber {
  readonly options: PodSubscribeOptions;
  tell(observation: PodObservation): void;
  readonly signal: AbortSignal;
  close(): void;
}

function toPod(observation: PodObservation): Pod | null {
  if (observation.type === 'present') return observation.pod;
  return observation.type === 'deleted' ? observation.last : null;
}

/** Whether a subscriber that knows `known` learns something. */
function isNews(observation: PodObservation, known: Pod | null): boolean {
  const pod = toPod(observation);
  if (pod === null || known === null) return true;
  if (observation.type === 'deleted') return true;
  const { uid, resourceVersion } = known.metadata;
  if (pod.metadata.uid !== uid) return true;
  return (
    pod.metadata.resourceVersion !== resourceVersion &&
    !isOlderVersion(pod.metadata.resourceVersion, resourceVersion)
  );
}

function createSubscriber(options: PodSubscribeOptions, onClose: () => void): Subscriber {
  const closed = new AbortController();
  let latest: Pod | null = options.known ?? null;
  return {
    options,
    signal: closed.signal,
    tell(observation) {
      const pod = toPod(observation);
      if (options.known !== undefined && pod !== null && pod.metadata.uid !== options.known.metadata.uid)
        return;
      if (!isNews(observation, latest)) return;
      latest = pod ?? latest;
      // In a turn of its own: what a subscriber throws must not end the watch of all others.
      queueMicrotask(() => {
        if (!closed.signal.aborted) options.onObservation(observation);
      });
    },
    close() {
      if (closed.signal.aborted) return;
      closed.abort();
      onClose();
    },
  };
}

export interface Subscriptions {
  readonly size: number;
  add(options: PodSubscribeOptions): Subscriber;
  /** Tells those who subscribed to the Pod. */
  publish(changes: readonly PodChange[]): void;
  tellAll(observation: PodObservation): void;
  closeAll(): void;
}

/** @param onEmpty called when the last subscriber has left. */
export function createSubscriptions(onEmpty: () => void): Subscriptions {
  const byName = new Map<string, Set<Subscriber>>();
  // A copy, because subscribers come and go while they are told.
  const listAll = () => [...byName.values()].flatMap((subscribers) => [...subscribers]);

  function remove(name: string, subscriber: Subscriber): void {
    const subscribers = byName.get(name);
    subscribers?.delete(subscriber);
    if (subscribers?.size === 0) byName.delete(name);
    if (byName.size === 0) onEmpty();
  }

  return {
    get size() {
      return byName.size;
    },
    add(options) {
      const subscriber = createSubscriber(options, () => remove(options.name, subscriber));
      const subscribers = byName.get(options.name) ?? new Set();
      byName.set(options.name, subscribers.add(subscriber));
      return subscriber;
    },
    publish(changes) {
      for (const change of changes) {
        const { name } = (change.type === 'present' ? change.pod : change.last).metadata;
        for (const subscriber of byName.get(name) ?? []) subscriber.tell(change);
      }
    },
    tellAll(observation) {
      for (const subscriber of listAll()) subscriber.tell(observation);
    },
    closeAll() {
      for (const subscriber of listAll()) subscriber.close();
    },
  };
}
