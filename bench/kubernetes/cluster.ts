/** A namespace of the cluster of KUBECONFIG with a server that launches into it, and a client beside that server. */
import { openClusterClient } from '@omnigent/launcher';
import type { ClusterClient } from '@omnigent/launcher';
import type { Client } from '@omnigent/client';
import { HAS_CLUSTER } from '../../test/cluster/harness/cluster.ts';
import { ensureImage } from '../../test/cluster/harness/images.ts';
import { Installation } from '../../test/cluster/harness/installation.ts';
import { createNamespace } from '../../test/cluster/harness/namespace.ts';
import { BARE_LABELS } from './bare-pods.ts';

/** Both ways into one namespace. */
export interface BenchCluster extends AsyncDisposable {
  /** Of the server. */
  readonly client: Client;
  /** Of the cluster itself. */
  readonly cluster: ClusterClient;
}

/** The default's share of the processor: with less, a sandbox waits for whatever else runs on the node. */
export const ORDINARY_RESOURCES = {
  requests: { cpu: '500m', memory: '128Mi' },
  limits: { cpu: '2', memory: '1Gi' },
};

/** Prepares everything; throws when there is no cluster. */
export async function openBenchCluster(resources: object = ORDINARY_RESOURCES): Promise<BenchCluster> {
  if (!HAS_CLUSTER) throw new Error('expected KUBECONFIG to name a test cluster; it is not set');
  const image = await ensureImage('host');
  await using stack = new AsyncDisposableStack();
  const { name: namespace, kubeconfig } = stack.use(await createNamespace());
  const { client } = stack.use(
    await Installation.start({ namespace, kubeconfig, kubernetes: { image, resources } }),
  );
  const options = { environment: process.env, inCluster: false, namespace, watchLabels: BARE_LABELS };
  const cluster = stack.adopt(await openClusterClient(options), (open) => open.close());
  const owned = stack.move();
  return { client, cluster, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
