/** A client of a fake API server, through a real kubeconfig. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LABELS, MANAGED_BY } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import type { ClusterClient } from '../cluster-client.ts';
import { openClusterConnection } from '../connection/cluster-connection.ts';
import { createClusterClient } from '../create-cluster-client.ts';
import type { WatchTimes } from '../watch/watch-loop.ts';

export const TEST_NAMESPACE = 'omnigent-sandboxes';

export interface TestClientOptions {
  /** Text of a kubeconfig, such as that of the fake server. */
  readonly kubeconfig: string;
  readonly namespace?: string;
  readonly clock?: Clock;
  readonly watchTimes?: Partial<WatchTimes>;
}

/** Half of every range: jitter without surprises. */
export const halfRandom = (size: number) => new Uint8Array(size).fill(128);

/** Opens the client; the kubeconfig's file is gone again afterwards. */
export async function openTestClient(options: TestClientOptions): Promise<ClusterClient> {
  const { kubeconfig, namespace = TEST_NAMESPACE, clock, watchTimes = {} } = options;
  const directory = await mkdtemp(path.join(tmpdir(), 'omnigent-kubeconfig-'));
  const file = path.join(directory, 'config');
  await writeFile(file, kubeconfig);
  try {
    const connection = await openClusterConnection({ kubeconfig: file, inCluster: false, environment: {} });
    return createClusterClient({
      connection,
      namespace,
      watchLabels: { [LABELS.managedBy]: MANAGED_BY },
      randomBytes: halfRandom,
      watchTimes,
      ...(clock === undefined ? {} : { clock }),
    });
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** A Pod's manifest with the labels that the client watches. */
export function buildTestPod(name: string, labels: Readonly<Record<string, string>> = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: { [LABELS.managedBy]: MANAGED_BY, [LABELS.hostId]: `host-${name}`, ...labels },
    },
    spec: {
      containers: [
        {
          name: 'host',
          image: 'registry.example/host:1',
          command: ['sleep', '3600'],
          securityContext: {
            allowPrivilegeEscalation: false,
            runAsNonRoot: true,
            runAsUser: 1000,
            capabilities: { drop: ['ALL'] },
            seccompProfile: { type: 'RuntimeDefault' },
          },
        },
      ],
    },
  } as const;
}

/** A Secret's manifest. */
export function buildTestSecret(name: string, value = 'launch-token-value') {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    immutable: true,
    metadata: { name, labels: { [LABELS.managedBy]: MANAGED_BY } },
    stringData: { OMNIGENT_HOST_TOKEN: value },
  } as const;
}
