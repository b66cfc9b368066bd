/** The one options object of the manifest builders. */
import type { Repository } from '@omnigent/protocol';
import type { KubernetesConfig } from '../config/parse-config.ts';

export interface PodOptions {
  readonly config: KubernetesConfig;
  readonly podName: string;
  readonly hostId: string;
  readonly hostName: string;
  /** Which server installation owns the Pod. */
  readonly instance: string;
  /** URL that the host dials. */
  readonly serverUrl: string;
  readonly repositories: readonly Repository[];
  readonly agent?: string;
  /** Environment of this one sandbox; after the configured one, which it overrides. What the launcher sets itself stays. */
  readonly env: Readonly<Record<string, string>>;
  /** Merged over the configured `host_config`. */
  readonly hostConfig?: Readonly<Record<string, unknown>>;
  /** A sandbox never outlives its token. */
  readonly lifetimeSeconds: number;
}

/** Where the launcher's own volumes are mounted: below a directory that configured mounts may not use. */
export const MOUNTS = {
  ca: '/run/omnigent/ca',
  ssh: '/run/omnigent/ssh',
  host: '/run/omnigent/host',
} as const;
