/** What the contract of launches runs against: a cluster, real or fake, whose faults can be arranged. */
import { createLauncher } from '@omnigent/launcher';
import type { LaunchRequest, SandboxLauncher } from '@omnigent/launcher';
import { systemClock, systemRandomBytes } from '@omnigent/protocol';

export type KubernetesSection = Readonly<Record<string, unknown>>;

export interface LaunchSubject {
  /** A launcher with every right, for a namespace of its own. */
  open(section?: KubernetesSection): Promise<SandboxLauncher>;
  /** One of somebody without any right. */
  openPowerless(): Promise<SandboxLauncher>;
  /** Names of the objects that are there. */
  listObjects(): Promise<string[]>;
  /** Admits no more Pods than this. */
  limitPods(count: number): Promise<void>;
  /** Another hand deletes a Pod. */
  deletePod(name: string): Promise<void>;
  close(): Promise<void>;
}

export const TOKEN = 'launch-token-of-43-characters-xxxxxxxxxxxxx';

export function buildRequest(more: Partial<LaunchRequest> = {}): LaunchRequest {
  return {
    sandboxId: 's000000000001',
    hostId: 'h000000000001',
    hostName: 'contract',
    token: TOKEN,
    serverUrl: 'http://server.invalid/',
    repositories: [],
    owner: 'somebody',
    env: {},
    lifetimeSeconds: 600,
    ...more,
  };
}

export interface OpenLauncherOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly section?: KubernetesSection | undefined;
}

/** The launcher that a server would have. */
export async function openLauncher({
  kubeconfig,
  namespace,
  section,
}: OpenLauncherOptions): Promise<SandboxLauncher> {
  return await createLauncher({
    provider: 'kubernetes',
    config: {
      kubeconfig,
      in_cluster: false,
      namespace,
      image: 'registry.test/host:1',
      service_account: 'omnigent-runner',
      resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '100m', memory: '64Mi' } },
      ...section,
    },
    environment: {},
    instance: 'contract',
    stateDirectory: '/nonexistent',
    nodePath: '',
    hostBundle: '',
    clock: systemClock,
    randomBytes: systemRandomBytes,
  });
}
