/** What every check gets. */
import type { Finding } from '@omnigent/protocol';
import type { ClusterClient } from '../api/cluster-client.ts';
import type { KubernetesConfig } from '../config/parse-config.ts';
import type { PodManifest } from '../manifests/pod-manifest.ts';

export interface CheckContext {
  readonly client: ClusterClient;
  readonly config: KubernetesConfig;
  /** The Pod of a launch. */
  readonly pod: PodManifest;
  /** Whether the cluster would take that Pod; tells of what may not be read. */
  readonly isAdmitted: boolean;
  readonly signal: AbortSignal;
}

/** Looks at one thing. May throw: that is a finding too. */
export type Check = (context: CheckContext) => Promise<readonly Finding[]>;
