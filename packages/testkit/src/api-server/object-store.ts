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

type History = Pick<ObjectStore, 'changesAfter' | 'onChange'> & {
  add(change: StoreChange): void;
  compact(version: number): void;
};

function createHistory(): History {
  const listeners = new Set<(change: StoreChange) => void>();
  let changes: StoreChange[] = [];
  let compacted = 0;
  return {
    add(change) {
      changes.push(change);
      for (const listener of listeners) listener(change);
    },
    changesAfter: (after) => (after < compacted ? null : changes.filter(({ version }) => version > after)),
    compact(version) {
      compacted = version;
      changes = [];
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** An empty store. */
export function createObjectStore(): ObjectStore {
  const objects = new Map<string, { readonly key: ObjectKey; readonly object: ApiObject }>();
  const history = createHistory();
  // Real clusters are at large numbers; 1 would hide mistakes in comparing texts.
  let version = 9_998;

  function stamp(object: ApiObject): ApiObject {
    version += 1;
    return structuredClone({ ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
  }

  return {
    get version() {
      return version;
    },
    get: (key) => objects.get(toId(key))?.object,
    put(key, given) {
      const previous = objects.get(toId(key))?.object ?? null;
      const object = stamp(given);
      objects.set(toId(key), { key, object });
      const type = previous === null ? 'ADDED' : 'MODIFIED';
      history.add({ type, resource: key.resource, object, previous, version });
      return object;
    },
    remove(key) {
      const removed = objects.get(toId(key))?.object;
      if (removed === undefined) return undefined;
      objects.delete(toId(key));
      const object = stamp(removed);
      history.add({ type: 'DELETED', resource: key.resource, object, previous: removed, version });
      return object;
    },
    list: (resource, namespace) =>
      [...objects.values()]
        .filter(({ key }) => key.resource === resource && (namespace === '' || key.namespace === namespace))
        .map(({ object }) => object)
        .sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1)),
    entries: () => [...objects.values()].map(({ key, object }) => [key, object]),
    changesAfter: history.changesAfter,
    compact: () => history.compact(version),
    onChange: history.onChange,
  };
}
