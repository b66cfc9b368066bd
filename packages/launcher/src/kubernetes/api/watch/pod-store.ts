/**
 * The Pods as last seen. Lists, watch events and direct reads may arrive in any order; an older state never replaces a
 * newer one, and a Pod counts as deleted only by what is newer than its last sight.
 */
import type { Pod } from '../objects/pod.ts';
import { isOlderVersion } from './resource-version.ts';

export type PodChange =
  | { readonly type: 'present'; readonly pod: Pod }
  | { readonly type: 'deleted'; readonly last: Pod };

/** A whole list at one resource version. */
export interface PodSnapshot {
  readonly resourceVersion: string;
  readonly pods: readonly Pod[];
}

export interface PodStore {
  get(name: string): Pod | null;
  /** How a deleted Pod was seen last; the newest thousand are remembered. */
  getDeleted(uid: string): Pod | null;
  /** A Pod as it was read or announced. */
  apply(pod: Pod): readonly PodChange[];
  /** A Pod that was announced as deleted. */
  remove(pod: Pod): readonly PodChange[];
  /** A list: what it lacks is deleted, unless it was seen at a newer version than the list's. */
  replace(snapshot: PodSnapshot): readonly PodChange[];
}

const MAX_DELETED = 1_000;

/** Labels that every Pod of the lists and the watch carries. */
export type PodLabels = Readonly<Record<string, string>>;

function isSame({ metadata: one }: Pod, { metadata: other }: Pod): boolean {
  return one.uid === other.uid && one.resourceVersion === other.resourceVersion;
}

/** Adds to what is remembered of deleted Pods; the oldest goes. */
function remember(deleted: Map<string, Pod>, pod: Pod): void {
  deleted.set(pod.metadata.uid, pod);
  const oldest = deleted.keys().next();
  if (deleted.size > MAX_DELETED && oldest.done !== true) deleted.delete(oldest.value);
}

function hasLabels(pod: Pod, labels: PodLabels): boolean {
  return Object.entries(labels).every(([name, value]) => pod.metadata.labels[name] === value);
}

/** An empty store. A direct read may also show Pods without the labels; lists say nothing about those. */
export function createPodStore(labels: PodLabels = {}): PodStore {
  const present = new Map<string, Pod>();
  const deleted = new Map<string, Pod>();
  let listedVersion = '';

  function bury(pod: Pod): PodChange {
    present.delete(pod.metadata.name);
    remember(deleted, pod);
    return { type: 'deleted', last: pod };
  }

  function put(pod: Pod): readonly PodChange[] {
    const seen = present.get(pod.metadata.name);
    if (deleted.has(pod.metadata.uid)) return [];
    if (seen !== undefined && isOlderVersion(pod.metadata.resourceVersion, seen.metadata.resourceVersion))
      return [];
    if (seen !== undefined && isSame(seen, pod)) return [];
    const gone = seen !== undefined && seen.metadata.uid !== pod.metadata.uid ? [bury(seen)] : [];
    present.set(pod.metadata.name, pod);
    return [...gone, { type: 'present', pod }];
  }

  return {
    get: (name) => present.get(name) ?? null,
    getDeleted: (uid) => deleted.get(uid) ?? null,
    apply(pod) {
      const { name, uid, resourceVersion } = pod.metadata;
      const isKnown = present.get(name)?.metadata.uid === uid || deleted.has(uid);
      // A state from before the list, of a Pod that the list lacks: the deletion overtook whoever read it.
      const isOvertaken = !isKnown && isOlderVersion(resourceVersion, listedVersion);
      if (!isOvertaken || !hasLabels(pod, labels)) return put(pod);
      remember(deleted, pod);
      return [{ type: 'deleted', last: pod }];
    },
    remove(pod) {
      const seen = present.get(pod.metadata.name);
      if (seen?.metadata.uid === pod.metadata.uid) return [bury(pod)];
      remember(deleted, pod);
      return [];
    },
    replace({ resourceVersion, pods }) {
      const listed = new Set(pods.map(({ metadata }) => metadata.uid));
      const missing = [...present.values()].filter(
        ({ metadata }) =>
          !listed.has(metadata.uid) && !isOlderVersion(resourceVersion, metadata.resourceVersion),
      );
      // The last list, not the newest: versions start anew when a cluster is restored.
      listedVersion = resourceVersion;
      return [...missing.map(bury), ...pods.flatMap(put)];
    },
  };
}
