/** The client of the cluster, opened when it is first needed: a plan needs no cluster. */
import type { Clock, RandomBytes } from '@omnigent/protocol';
import { openClusterClient } from '../open-cluster-client.ts';
import type { ClusterClient } from './api/cluster-client.ts';
import type { KubernetesConfig } from './config/parse-config.ts';
import { buildInstanceLabels } from './manifests/labels.ts';

export interface LazyClientOptions {
  readonly config: KubernetesConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly instance: string;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

export interface LazyClient {
  /** One client for all. @throws SandboxError `cluster_config`; the next call tries again. */
  open(): Promise<ClusterClient>;
  close(): Promise<void>;
}

function openClient({
  config,
  environment,
  instance,
  clock,
  randomBytes,
}: LazyClientOptions): Promise<ClusterClient> {
  const { kubeconfig, in_cluster: inCluster, namespace } = config;
  return openClusterClient({
    environment,
    namespace,
    watchLabels: buildInstanceLabels(instance),
    clock,
    randomBytes,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(inCluster === undefined ? {} : { inCluster }),
  });
}

/** Nothing is opened yet. */
export function createLazyClient(options: LazyClientOptions): LazyClient {
  let opening: Promise<ClusterClient> | undefined;
  return {
    open() {
      if (opening === undefined) {
        opening = openClient(options);
        // A failure is not kept: the configuration may be there the next time.
        opening.catch(() => (opening = undefined));
      }
      return opening;
    },
    async close() {
      const client = await opening?.catch(() => undefined);
      await client?.close();
    },
  };
}
