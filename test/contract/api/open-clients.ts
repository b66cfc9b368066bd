/** Clients of one cluster from the text of kubeconfigs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openClusterClient } from '@omnigent/launcher';
import type { ClusterClient, ClusterClientOptions } from '@omnigent/launcher';
import { MANAGED } from './api-subject.ts';

export interface KubeconfigFiles {
  /** Opens a client with that kubeconfig, whose file stays until the close. */
  open(
    kubeconfig: string,
    namespace: string,
    watchTimes?: ClusterClientOptions['watchTimes'],
  ): Promise<ClusterClient>;
  close(): Promise<void>;
}

/** A directory of kubeconfigs, and the clients that use them. */
export async function createKubeconfigFiles(): Promise<KubeconfigFiles> {
  const directory = await mkdtemp(path.join(tmpdir(), 'omnigent-contract-'));
  const clients: ClusterClient[] = [];
  return {
    async open(text, namespace, watchTimes = {}) {
      const kubeconfig = path.join(directory, `config-${clients.length}`);
      await writeFile(kubeconfig, text, { mode: 0o600 });
      const client = await openClusterClient({
        kubeconfig,
        inCluster: false,
        environment: {},
        namespace,
        watchLabels: MANAGED,
        watchTimes,
      });
      clients.push(client);
      return client;
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await rm(directory, { recursive: true });
    },
  };
}
