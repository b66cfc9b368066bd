/** A client of a Kubernetes cluster, loaded when it is asked for, so that a laptop never loads Kubernetes code. */
import type { ClusterClient } from './kubernetes/api/cluster-client.ts';
import type { ConnectionOptions } from './kubernetes/api/connection/cluster-connection.ts';
import type { ClusterClientOptions } from './kubernetes/api/create-cluster-client.ts';

export type OpenClusterClientOptions = ConnectionOptions & Omit<ClusterClientOptions, 'connection'>;

/**
 * Finds the configuration of the cluster and opens a client for one namespace; close it when done.
 *
 * @example
 * const client = await openClusterClient({ environment: process.env, namespace: 'omnigent-sandboxes', watchLabels: {} });
 * @throws SandboxError `cluster_config`
 */
export async function openClusterClient(options: OpenClusterClientOptions): Promise<ClusterClient> {
  const { openClusterConnection } = await import('./kubernetes/api/connection/cluster-connection.ts');
  const { createClusterClient } = await import('./kubernetes/api/create-cluster-client.ts');
  return createClusterClient({ ...options, connection: await openClusterConnection(options) });
}
