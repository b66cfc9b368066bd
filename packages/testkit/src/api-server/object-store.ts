/** The fake's etcd: objects, one counter of versions, and the history that watches are served from. */
import type { ApiObject } from './api-object.ts';

export interface StoreChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: string;
  readonly object: ApiObject;
  /** The state before; what selectors that stop matching are decided by. */
  readonly previous: ApiObject | null;
  readonly version: number;
}

export interface ObjectKey {
  readonly resource: string;
  /** Empty for what has none. */
  readonly namespace: string;
  readonly name: string;
}

export interface ObjectStore {
  readonly version: number;
  get(key: ObjectKey): ApiObject | undefined;
  /** Stores an object under a new version and returns it. */
  put(key: ObjectKey, object: ApiObject): ApiObject;
  remove(key: ObjectKey): ApiObject | undefined;
  /** Objects of a resource in name order; of every namespace when it is empty. */
  list(resource: string, namespace: string): ApiObject[];
  /** Every object with its key. */
  entries(): [ObjectKey, ApiObject][];
  /** Changes after a version; null when that has been compacted away. */
  changesAfter(version: number): readonly StoreChange[] | null;
  /** Forgets the history, as etcd does after five minutes. */
  compact(): void;
  onChange(listener: (change: StoreChange) => void): () => void;
}

const toId = ({ resource, namespace, name }: ObjectKey) => `${resource}/${namespace}/${name}`;

/** An empty store. */
export function createObjectStore(): ObjectStore {
  const objects = new Map<string, { readonly key: ObjectKey; readonly object: ApiObject }>();
  const listeners = new Set<(change: StoreChange) => void>();
  let history: StoreChange[] = [];
  let compacted = 0;
  // Real clusters are at large numbers; 1 would hide mistakes in comparing texts.
  let version = 9_998;

  function announce(change: StoreChange): void {
    history.push(change);
    for (const listener of listeners) listener(change);
  }

  return {
    get version() {
      return version;
    },
    get: (key) => objects.get(toId(key))?.object,
    put(key, given) {
      version += 1;
      const previous = objects.get(toId(key))?.object ?? null;
      const metadata = { ...given.metadata, resourceVersion: String(version) };
      const object = structuredClone({ ...given, metadata });
      objects.set(toId(key), { key, object });
      announce({
        type: previous === null ? 'ADDED' : 'MODIFIED',
        resource: key.resource,
        object,
        previous,
        version,
      });
      return object;
    },
    remove(key) {
      const removed = objects.get(toId(key))?.object;
      if (removed === undefined) return undefined;
      version += 1;
      objects.delete(toId(key));
      const object = { ...removed, metadata: { ...removed.metadata, resourceVersion: String(version) } };
      announce({ type: 'DELETED', resource: key.resource, object, previous: removed, version });
      return object;
    },
    list: (resource, namespace) =>
      [...objects.values()]
        .filter(({ key }) => key.resource === resource && (namespace === '' || key.namespace === namespace))
        .map(({ object }) => object)
        .sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1)),
    entries: () => [...objects.values()].map(({ key, object }) => [key, object]),
    changesAfter: (after) => (after < compacted ? null : history.filter((change) => change.version > after)),
    compact() {
      compacted = version;
      history = [];
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
