/** Puts the client together: one connection, one requester, one shared watch. */
import { systemClock, systemRandomBytes } from '@omnigent/protocol';
import type { Clock, RandomBytes } from '@omnigent/protocol';
import { listEvents, readPodLog } from './client/evidence.ts';
import { deleteObject } from './client/delete-object.ts';
import { createPod, dryRunPod, getPod, listPods } from './client/pods.ts';
import { createPreflightReads } from './client/preflight-reads.ts';
import { createSecret, hasSecret, setSecretOwner } from './client/secrets.ts';
import type { ClusterClient } from './cluster-client.ts';
import type { ClusterConnection } from './connection/cluster-connection.ts';
import { createRequester } from './request/requester.ts';
import { createPodWatch } from './watch/create-pod-watch.ts';
import type { WatchTimes } from './watch/watch-loop.ts';

export interface ClusterClientOptions {
  /** From {@link openClusterConnection}; closed together with the client. */
  readonly connection: ClusterConnection;
  /** Namespace of the sandboxes. */
  readonly namespace: string;
  /** Labels of the Pods that the shared watch follows. */
  readonly watchLabels: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly randomBytes?: RandomBytes;
  readonly watchTimes?: Partial<WatchTimes>;
}

/**
 * A client for one namespace of one cluster. Make one per server process and share it.
 *
 * @example
 * const connection = await openClusterConnection({ environment: process.env });
 * const client = createClusterClient({ connection, namespace: 'omnigent-sandboxes', watchLabels });
 */
export function createClusterClient(options: ClusterClientOptions): ClusterClient {
  const { connection, namespace, clock = systemClock, randomBytes = systemRandomBytes } = options;
  const requester = createRequester({ connection, clock, randomBytes });
  const context = { requester, namespace };
  const { watchLabels: labels, watchTimes: times = {} } = options;
  const podWatch = createPodWatch({ context, labels, clock, randomBytes, times });
  return {
    namespace,
    server: connection.server.origin,
    podWatch,
    createPod: (manifest, call) => createPod(context, manifest, call),
    dryRunPod: (manifest, call) => dryRunPod(context, manifest, call),
    getPod: (name, call) => getPod(context, name, call),
    deletePod: (name, call) => deleteObject(context, { resource: 'pods', name }, call),
    listPods: (call) => listPods(context, call),
    createSecret: (manifest, call) => createSecret(context, manifest, call),
    setSecretOwner: (name, owner, call) => setSecretOwner(context, { name, owner }, call),
    hasSecret: (name, call) => hasSecret(context, name, call),
    deleteSecret: (name, call) => deleteObject(context, { resource: 'secrets', name }, call),
    listEvents: (call) => listEvents(context, call),
    readPodLog: (name, call) => readPodLog(context, name, call),
    ...createPreflightReads(context),
    async close() {
      await podWatch.close();
      connection.close();
    },
  };
}
