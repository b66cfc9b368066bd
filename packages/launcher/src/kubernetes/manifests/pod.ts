/** The Pod of a sandbox. Pure: options in, manifest out. */
import type { Container, PodSpec, Toleration } from 'kubernetes-types/core/v1.js';
import { SANDBOX_HOME, SANDBOX_UID } from '@omnigent/protocol';
import { buildHostEnvironment, buildWorkspaceEnvironment } from './environment.ts';
import { buildAgentLabel, buildIdentityLabels } from './labels.ts';
import { HOST_CONTAINER, WORKSPACE_CONTAINER } from './container-names.ts';
import { mergeUnder } from './pod-template.ts';
import type { PodManifest } from './pod-manifest.ts';
import type { PodOptions } from './pod-options.ts';
import { buildHostScript, buildWorkspaceScript } from './scripts.ts';
import { escapeExpansion } from './shell.ts';
import { buildVolumes } from './volumes.ts';
import type { VolumePlan } from './volumes.ts';

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

function buildContainer(
  options: PodOptions,
  own: Pick<Container, 'name' | 'env' | 'volumeMounts'> & { readonly script: string },
): Container {
  const { config } = options;
  const { script, ...rest } = own;
  return {
    ...rest,
    image: config.image,
    ...(config.image_pull_policy === undefined ? {} : { imagePullPolicy: config.image_pull_policy }),
    command: ['bash', '-lc', escapeExpansion(script)],
    workingDir: SANDBOX_HOME,
    ...(config.secret_name === undefined ? {} : { envFrom: [{ secretRef: { name: config.secret_name } }] }),
    resources: { requests: { ...config.resources.requests }, limits: { ...config.resources.limits } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
}

function buildContainers(
  options: PodOptions,
  { everywhere, hostOnly }: VolumePlan,
): Pick<PodSpec, 'initContainers' | 'containers'> {
  const host = buildContainer(options, {
    name: HOST_CONTAINER,
    script: buildHostScript(options),
    env: buildHostEnvironment(options),
    volumeMounts: [...everywhere, ...hostOnly],
  });
  if (options.config.workspace_prep === 'host') return { containers: [host] };
  const prep = buildContainer(options, {
    name: WORKSPACE_CONTAINER,
    script: buildWorkspaceScript(options),
    env: buildWorkspaceEnvironment(options),
    volumeMounts: [...everywhere],
  });
  return { initContainers: [prep], containers: [host] };
}

function buildTolerations({ config }: PodOptions): Toleration[] {
  const own = config.tolerations ?? [];
  const added = NODE_TOLERATIONS.filter(({ key }) => !own.some((toleration) => toleration.key === key));
  return [...own.map((toleration) => dropUndefined(toleration)), ...added];
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
    securityContext: {
      runAsNonRoot: true,
      runAsUser: SANDBOX_UID,
      runAsGroup: SANDBOX_UID,
      fsGroup: SANDBOX_UID,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...dropUndefined({
      affinity: config.affinity as PodSpec['affinity'],
      topologySpreadConstraints:
        config.topology_spread_constraints as unknown[] as PodSpec['topologySpreadConstraints'],
      priorityClassName: config.priority_class,
      runtimeClassName: config.runtime_class,
      imagePullSecrets: config.image_pull_secrets?.map((name) => ({ name })),
      hostUsers: config.host_users,
    }),
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

/** Leaves out what is not set: an explicit undefined in a manifest means something else to some readers. */
function dropUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as {
    [Key in keyof Value]?: Exclude<Value[Key], undefined>;
  };
}
