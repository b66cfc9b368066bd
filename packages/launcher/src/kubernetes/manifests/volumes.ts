/** Volumes and where they are mounted. */
import type { Volume, VolumeMount } from 'kubernetes-types/core/v1.js';
import { SANDBOX_HOME } from '@omnigent/protocol';
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

/** All volumes of a Pod. */
export function buildVolumes({ config }: PodOptions): VolumePlan {
  const {
    home_size_limit: sizeLimit,
    ca_bundle: ca,
    git,
    pvc_mounts: claims = [],
    secret_mounts: secrets = [],
  } = config;
  const home: Volume = { name: 'home', emptyDir: sizeLimit === null ? {} : { sizeLimit } };
  const caVolumes: Volume[] =
    ca === undefined
      ? []
      : [
          ca.config_map === undefined
            ? { name: 'ca-bundle', secret: { secretName: ca.secret ?? '', defaultMode: SECRET_MODE } }
            : { name: 'ca-bundle', configMap: { name: ca.config_map } },
        ];
  const sshVolumes: Volume[] =
    git?.ssh_secret === undefined
      ? []
      : [{ name: 'git-ssh', secret: { secretName: git.ssh_secret, defaultMode: SECRET_MODE } }];
  return {
    volumes: [
      home,
      ...caVolumes,
      ...sshVolumes,
      ...claims.map(
        ({ claim_name: claimName, read_only: readOnly }, index): Volume => ({
          name: `pvc-${index}`,
          persistentVolumeClaim: { claimName, readOnly },
        }),
      ),
      ...secrets.map(
        ({ secret_name: secretName }, index): Volume => ({
          name: `secret-${index}`,
          secret: { secretName, defaultMode: SECRET_MODE },
        }),
      ),
    ],
    everywhere: [
      { name: 'home', mountPath: SANDBOX_HOME },
      ...caVolumes.map(({ name }): VolumeMount => ({ name, mountPath: MOUNTS.ca, readOnly: true })),
      ...sshVolumes.map(({ name }): VolumeMount => ({ name, mountPath: MOUNTS.ssh, readOnly: true })),
    ],
    hostOnly: [
      ...claims.map(
        ({ mount_path: mountPath, read_only: readOnly }, index): VolumeMount => ({
          name: `pvc-${index}`,
          mountPath,
          readOnly,
        }),
      ),
      ...secrets.map(
        ({ mount_path: mountPath }, index): VolumeMount => ({
          name: `secret-${index}`,
          mountPath,
          readOnly: true,
        }),
      ),
    ],
  };
}
