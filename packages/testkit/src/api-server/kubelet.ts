/** A node in miniature: runs a script for each Pod, and ends Pods that are deleted. */
import type { Clock } from '@omnigent/protocol';
import { toIsoTime } from '@omnigent/protocol';
import { isRecord } from './api-object.ts';
import type { ApiObject } from './api-object.ts';
import type { FakeState } from './fake-state.ts';
import type { ObjectKey, StoreChange } from './object-store.ts';

/** What a script does to its Pod. Everything is a no-op once the Pod is gone. */
export interface PodControl {
  /** The Pod as it is now; null when it is gone. */
  readonly pod: ApiObject | null;
  readonly name: string;
  readonly clock: Clock;
  /** Aborts when the Pod is being deleted or is gone. */
  readonly signal: AbortSignal;
  /** By the server's clock; rejects when the Pod goes. */
  sleep(delayMs: number): Promise<void>;
  /** Gives the Pod a node, as the scheduler does. */
  bind(nodeName: string): void;
  /** Merges fields into `status`. */
  setStatus(status: Readonly<Record<string, unknown>>): void;
  emitEvent(event: PodEvent): void;
  setLog(container: string, text: string): void;
}

export interface PodEvent {
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly count?: number;
}

/** What happens to a Pod after it was created. */
export type PodScript = (control: PodControl) => Promise<void> | void;

export interface Kubelet {
  /** Runs for every Pod that is created from now on. */
  script: PodScript | null;
  /** How long Pods take to end, in milliseconds; null: they never do, as on a node that is gone. */
  terminationMs: number | null;
  close(): void;
}

const NODE = 'fake-node';

function createControl(key: ObjectKey, state: FakeState, signal: AbortSignal): PodControl {
  const { store, clock, logs } = state;
  const update = (change: (pod: ApiObject) => ApiObject) => {
    const pod = store.get(key);
    if (pod !== undefined) store.put(key, change(pod));
  };
  return {
    get pod() {
      return store.get(key) ?? null;
    },
    name: key.name,
    clock,
    signal,
    async sleep(delayMs) {
      signal.throwIfAborted();
      // No time passes, so a clock that stands still must not hold it up.
      if (delayMs > 0) await clock.sleep(delayMs, { signal, unref: true });
    },
    bind(nodeName) {
      update((pod) => ({ ...pod, spec: { ...(isRecord(pod['spec']) ? pod['spec'] : {}), nodeName } }));
    },
    setStatus(status) {
      update((pod) => ({ ...pod, status: { ...(isRecord(pod['status']) ? pod['status'] : {}), ...status } }));
    },
    emitEvent(event) {
      const pod = store.get(key);
      if (pod !== undefined) putEvent(pod, event, state);
    },
    setLog(container, text) {
      logs.set(`${key.namespace}/${key.name}/${container}`, text);
    },
  };
}

/** Stores an event about a Pod. */
export function putEvent(pod: ApiObject, event: PodEvent, { store, clock }: FakeState): void {
  const { name, uid, namespace = '' } = pod.metadata;
  const at = toIsoTime(clock.now());
  const eventName = `${name}.${(store.version + 1).toString(16)}`;
  store.put(
    { resource: 'events', namespace, name: eventName },
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: eventName, namespace, uid: `event-${eventName}`, creationTimestamp: at },
      involvedObject: { kind: 'Pod', namespace, name, uid },
      type: event.type ?? 'Normal',
      reason: event.reason,
      message: event.message,
      count: event.count ?? 1,
      firstTimestamp: at,
      lastTimestamp: at,
      eventTime: null,
      source: { component: 'kubelet', host: NODE },
    },
  );
}

/** A kubelet without a script: Pods stay pending. */
export function createKubelet(state: FakeState): Kubelet {
  const running = new Map<string, AbortController>();
  const closing = new AbortController();

  async function terminate(key: ObjectKey, uid: string): Promise<void> {
    const { terminationMs } = kubelet;
    if (terminationMs === null) return;
    if (terminationMs > 0) await state.clock.sleep(terminationMs, { signal: closing.signal, unref: true });
    if (state.store.get(key)?.metadata.uid === uid) state.store.remove(key);
  }

  function run(key: ObjectKey, uid: string): void {
    const { script } = kubelet;
    if (script === null) return;
    const ended = new AbortController();
    running.set(uid, ended);
    const control = createControl(key, state, AbortSignal.any([ended.signal, closing.signal]));
    // A script ends early when its Pod goes while it sleeps; any other failure is one of the test.
    Promise.resolve(script(control)).catch((error: unknown) => {
      if (!control.signal.aborted) throw error;
    });
  }

  function observe({ type, resource, object }: StoreChange): void {
    if (resource !== 'pods') return;
    const { name, namespace = '', uid = '' } = object.metadata;
    const key = { resource, namespace, name };
    if (type === 'ADDED') queueMicrotask(() => run(key, uid));
    const isEnding = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
    if (!isEnding) return;
    const isFirst = running.get(uid)?.signal.aborted !== true;
    running.get(uid)?.abort();
    if (type === 'DELETED') running.delete(uid);
    else if (isFirst) queueMicrotask(() => void terminate(key, uid).catch(() => undefined));
  }

  const unsubscribe = state.store.onChange(observe);
  const kubelet: Kubelet = {
    script: null,
    terminationMs: 0,
    close() {
      unsubscribe();
      closing.abort();
    },
  };
  return kubelet;
}
