/** The Pod of a sandbox. Pure: options in, manifest out. */
import type { PodSpec, Toleration } from 'kubernetes-types/core/v1.js';
import { mergeUnder } from '../pod-template/merge-under.ts';
import { buildContainers } from './containers.ts';
import { dropUndefined } from './drop-undefined.ts';
import { buildAgentLabel, buildIdentityLabels } from './labels.ts';
import type { PodManifest } from './pod-manifest.ts';
import type { PodOptions } from './pod-options.ts';
import { buildPodSecurity } from './security.ts';
import { buildVolumes } from './volumes.ts';

/** A node that stopped answering loses its Pods after a minute instead of the five of admission. */
const NODE_TOLERATIONS: readonly Toleration[] = [
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
].map((key) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 60,
}));

function buildTolerations({ config }: PodOptions): Toleration[] {
  const own = config.tolerations ?? [];
  const added = NODE_TOLERATIONS.filter(({ key }) => !own.some((toleration) => toleration.key === key));
  return [...own.map((toleration) => dropUndefined(toleration)), ...added];
}

/** Absent from the Pod when they are not configured. */
function buildOptionalFields({ config }: PodOptions): Partial<PodSpec> {
  return dropUndefined({
    affinity: config.affinity,
    topologySpreadConstraints:
      config.topology_spread_constraints as unknown[] as PodSpec['topologySpreadConstraints'],
    priorityClassName: config.priority_class,
    runtimeClassName: config.runtime_class,
    imagePullSecrets: config.image_pull_secrets?.map((name) => ({ name })),
    hostUsers: config.host_users,
  });
}

function buildSpec(options: PodOptions): PodSpec {
  const { config, lifetimeSeconds } = options;
  const plan = buildVolumes(options);
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    serviceAccountName: config.service_account,
    nodeSelector: { ...config.node_selector },
    activeDeadlineSeconds: lifetimeSeconds,
    tolerations: buildTolerations(options),
    securityContext: buildPodSecurity(),
    ...buildOptionalFields(options),
    ...buildContainers(options, plan),
    volumes: [...plan.volumes],
  };
}

/** Builds the Pod: what this function fixes wins over `pod_template`. */
export function buildPodManifest(options: PodOptions): PodManifest {
  const { config, podName, agent } = options;
  const fixed: PodManifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName,
      namespace: config.namespace,
      labels: { ...config.labels, ...buildAgentLabel(agent), ...buildIdentityLabels(options) },
      ...(config.annotations === undefined ? {} : { annotations: { ...config.annotations } }),
    },
    spec: buildSpec(options),
  };
  return config.pod_template === undefined ? fixed : mergeUnder(config.pod_template, fixed);
}
