/** The part of a cluster that a wait sees, in memory, so that a fake clock alone decides when things happen. */
import type { ClusterClient } from '../../api/cluster-client.ts';
import type { ClusterEvent } from '../../api/objects/event.ts';
import type { Pod } from '../../api/objects/pod.ts';
import type { PodObservation } from '../../api/pod-watch.ts';

export interface ScriptedCluster {
  readonly client: Pick<ClusterClient, 'podWatch' | 'getPod' | 'listEvents'>;
  /** What a direct read and the events say; the error is thrown instead. */
  pod: Pod | null;
  events: readonly ClusterEvent[];
  error: Error | null;
  readonly reads: { pod: number; events: number };
  readonly subscribers: number;
  tell(observation: PodObservation): void;
}

export function createScriptedCluster(): ScriptedCluster {
  const listeners = new Set<(observation: PodObservation) => void>();
  const reads = { pod: 0, events: 0 };
  const read = <T>(kind: 'pod' | 'events', value: T): T => {
    reads[kind] += 1;
    if (cluster.error !== null) throw cluster.error;
    return value;
  };
  const cluster: ScriptedCluster = {
    pod: null,
    events: [],
    error: null,
    reads,
    get subscribers() {
      return listeners.size;
    },
    tell(observation) {
      if (observation.type === 'present') cluster.pod = observation.pod;
      for (const listener of listeners) listener(observation);
    },
    client: {
      getPod: async () => read('pod', cluster.pod),
      listEvents: async () => read('events', cluster.events),
      podWatch: {
        subscribe({ onObservation }) {
          listeners.add(onObservation);
          return { close: () => listeners.delete(onObservation) };
        },
        health: () => ({ state: 'watching' }),
      },
    },
  };
  return cluster;
}
