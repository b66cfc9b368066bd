/** What the contract of the cluster client runs against: a cluster, real or fake, and another hand inside it. */
import type { ClusterClient } from '@omnigent/launcher';

export interface ApiSubject {
  /** A client with every right, for a namespace of its own. */
  readonly client: ClusterClient;
  /** The same cluster, seen by somebody without any right. */
  readonly powerless: ClusterClient;
  /** The same cluster, with a token that it does not accept. */
  readonly unauthenticated: ClusterClient;
  /** A client with every right for a namespace that does not exist. */
  readonly elsewhere: ClusterClient;
  /** Limits how many Pods the namespace may have. */
  limitPods(count: number): Promise<void>;
  /** Adds an annotation to a Pod, as another hand does. */
  annotatePod(name: string, value: string): Promise<void>;
  close(): Promise<void>;
}

export const MANAGED = { 'app.kubernetes.io/managed-by': 'omnigent' } as const;

/** A Pod that satisfies the restricted profile, and that no node ever takes unless one is named. */
export function buildPod(name: string, nodeName?: string) {
  const restricted = {
    allowPrivilegeEscalation: false,
    runAsNonRoot: true,
    runAsUser: 1000,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { ...MANAGED, 'omnigent.ai/host-id': `host-${name}` } },
    spec: {
      ...(nodeName === undefined
        ? { nodeSelector: { 'omnigent.ai/contract': 'no-such-node' } }
        : { nodeName }),
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 3,
      containers: [
        {
          name: 'host',
          image: 'registry.test/pause:1',
          imagePullPolicy: 'Never',
          securityContext: restricted,
          resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '50m', memory: '32Mi' } },
        },
      ],
    },
  } as const;
}

export function buildSecret(name: string, value = 'launch-token-value') {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    immutable: true,
    metadata: { name, labels: MANAGED },
    stringData: { OMNIGENT_HOST_TOKEN: value },
  } as const;
}
