/** Volumes and where they are mounted. */
import type { Volume, VolumeMount } from 'kubernetes-types/core/v1.js';
import { SANDBOX_HOME } from '@omnigent/protocol';
import { buildInjectVolume, isInjected } from './inject.ts';
import { MOUNTS } from './pod-options.ts';
import type { PodOptions } from './pod-options.ts';

/** Secret files for the group of the sandbox only. */
const SECRET_MODE = 0o440;

export interface VolumePlan {
  readonly volumes: readonly Volume[];
  /** Mounts of both containers. */
  readonly everywhere: readonly VolumeMount[];
  /** Mounts of the host container only. */
  readonly hostOnly: readonly VolumeMount[];
}

/** A volume with where it is mounted. */
interface MountedVolume {
  readonly volume: Volume;
  readonly mount: Omit<VolumeMount, 'name'>;
}

function buildCaBundle({ ca_bundle: ca }: PodOptions['config']): MountedVolume[] {
  if (ca === undefined) return [];
  const source: Omit<Volume, 'name'> =
    ca.config_map === undefined
      ? { secret: { secretName: ca.secret ?? '', defaultMode: SECRET_MODE } }
      : { configMap: { name: ca.config_map } };
  return [{ volume: { name: 'ca-bundle', ...source }, mount: { mountPath: MOUNTS.ca, readOnly: true } }];
}

function buildSsh({ git }: PodOptions['config']): MountedVolume[] {
  if (git?.ssh_secret === undefined) return [];
  const volume = { name: 'git-ssh', secret: { secretName: git.ssh_secret, defaultMode: SECRET_MODE } };
  return [{ volume, mount: { mountPath: MOUNTS.ssh, readOnly: true } }];
}

/** What operators mount into the host container. */
function buildOwnMounts({
  pvc_mounts: claims = [],
  secret_mounts: secrets = [],
}: PodOptions['config']): MountedVolume[] {
  return [
    ...claims.map(({ claim_name: claimName, mount_path: mountPath, read_only: isReadOnly }, index) => {
      // A false that is sent is dropped by the API server and would look like a change by admission.
      const access = isReadOnly ? { readOnly: true } : {};
      return {
        volume: { name: `pvc-${index}`, persistentVolumeClaim: { claimName, ...access } },
        mount: { mountPath, ...access },
      };
    }),
    ...secrets.map(({ secret_name: secretName, mount_path: mountPath }, index) => ({
      volume: { name: `secret-${index}`, secret: { secretName, defaultMode: SECRET_MODE } },
      mount: { mountPath, readOnly: true },
    })),
  ];
}

const toMount = ({ volume, mount }: MountedVolume): VolumeMount => ({ name: volume.name, ...mount });

/** All volumes of a Pod. */
export function buildVolumes(options: PodOptions): VolumePlan {
  const { config } = options;
  const { home_size_limit: sizeLimit } = config;
  const home: MountedVolume = {
    volume: { name: 'home', emptyDir: sizeLimit === null ? {} : { sizeLimit } },
    mount: { mountPath: SANDBOX_HOME },
  };
  const everywhere = [home, ...buildCaBundle(config), ...buildSsh(config)];
  const hostOnly = buildOwnMounts(config);
  return {
    volumes: [
      ...everywhere.map(({ volume }) => volume),
      ...(isInjected(options) ? [buildInjectVolume()] : []),
      ...hostOnly.map(({ volume }) => volume),
    ],
    everywhere: everywhere.map(toMount),
    hostOnly: hostOnly.map(toMount),
  };
}
