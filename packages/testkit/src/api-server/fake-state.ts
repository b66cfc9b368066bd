/** What the parts of one fake API server share. */
import type { Clock } from '@omnigent/protocol';
import type { ApiObject } from './api-object.ts';
import type { ApiRequest } from './api-request.ts';
import type { Faults } from './faults.ts';
import type { ObjectKey, ObjectStore } from './object-store.ts';
import type { Rights } from './rights.ts';
import type { ApiStatus } from './status.ts';

/** Looks at an object that is to be created; a Status refuses it, an object replaces it. */
export type AdmissionHook = (object: ApiObject, request: ApiRequest) => ApiStatus | ApiObject | null;

/** Where reads are served from: the store, or a past state of it. */
export interface ReadSource {
  readonly version: number;
  get(key: ObjectKey): ApiObject | undefined;
  list(resource: string, namespace: string): ApiObject[];
}

export interface FakeState {
  readonly clock: Clock;
  readonly store: ObjectStore;
  readonly faults: Faults;
  readonly rights: Rights;
  readonly admission: AdmissionHook[];
  /** Log texts by `NAMESPACE/POD/CONTAINER`. */
  readonly logs: Map<string, string>;
  /** Pages that were begun, by their token. */
  readonly pages: Map<string, { readonly items: readonly ApiObject[]; readonly version: number }>;
  reads: ReadSource;
  /** How a watch of a compacted version is told: by the HTTP status, or by an event in the stream. */
  goneForm: 'status' | 'stream';
  /** Whether dependants go with their owner. */
  isCollecting: boolean;
}

/** A past state of the store that does not change any more. */
export function freezeReads(store: ObjectStore): ReadSource {
  const entries = store.entries().map(([key, object]) => [key, structuredClone(object)] as const);
  const find = (wanted: ObjectKey) =>
    entries.find(
      ([key]) =>
        key.resource === wanted.resource && key.namespace === wanted.namespace && key.name === wanted.name,
    )?.[1];
  return {
    version: store.version,
    get: find,
    list: (resource, namespace) =>
      entries
        .filter(([key]) => key.resource === resource && (namespace === '' || key.namespace === namespace))
        .map(([, object]) => object),
  };
}
