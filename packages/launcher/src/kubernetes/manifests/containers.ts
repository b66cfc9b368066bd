/** The containers of a sandbox: the host, and before it the init containers that its configuration asks for. */
import type { Container, PodSpec } from 'kubernetes-types/core/v1.js';
import { SANDBOX_HOME } from '@omnigent/protocol';
import { HOST_CONTAINER, INJECT_CONTAINER, WORKSPACE_CONTAINER } from './container-names.ts';
import { buildHostEnvironment, buildWorkspaceEnvironment } from './environment.ts';
import { buildInjectCommand, buildInjectMount, isInjected, resolveHostImage } from './inject.ts';
import type { PodOptions } from './pod-options.ts';
import { buildHostScript, buildWorkspaceScript } from './scripts.ts';
import { buildContainerSecurity } from './security.ts';
import { escapeExpansion } from './shell.ts';
import type { VolumePlan } from './volumes.ts';

/** What all of them have; quotas ask every container for requests and limits. */
function buildContainer({ config }: PodOptions, own: Container): Container {
  return {
    ...own,
    ...(config.image_pull_policy === undefined ? {} : { imagePullPolicy: config.image_pull_policy }),
    resources: { requests: { ...config.resources.requests }, limits: { ...config.resources.limits } },
    securityContext: buildContainerSecurity(),
  };
}

/** Credentials for clones and programs. */
function buildSecretEnvironment({ config }: PodOptions): Pick<Container, 'envFrom'> {
  return config.secret_name === undefined ? {} : { envFrom: [{ secretRef: { name: config.secret_name } }] };
}

function buildHost(options: PodOptions, { everywhere, hostOnly }: VolumePlan): Container {
  // An image of the operator's choice need not have bash.
  const shell = isInjected(options) ? ['sh', '-c'] : ['bash', '-lc'];
  return buildContainer(options, {
    name: HOST_CONTAINER,
    image: options.config.image,
    command: [...shell, escapeExpansion(buildHostScript(options))],
    workingDir: SANDBOX_HOME,
    env: buildHostEnvironment(options),
    ...buildSecretEnvironment(options),
    volumeMounts: [
      ...everywhere,
      ...(isInjected(options) ? [buildInjectMount({ isReadOnly: true })] : []),
      ...hostOnly,
    ],
  });
}

function buildWorkspacePrep(options: PodOptions, { everywhere }: VolumePlan): Container {
  return buildContainer(options, {
    name: WORKSPACE_CONTAINER,
    image: resolveHostImage(options),
    command: ['bash', '-lc', escapeExpansion(buildWorkspaceScript(options))],
    workingDir: SANDBOX_HOME,
    env: buildWorkspaceEnvironment(options),
    ...buildSecretEnvironment(options),
    volumeMounts: [...everywhere],
  });
}

function buildInjection(options: PodOptions): Container {
  return buildContainer(options, {
    name: INJECT_CONTAINER,
    image: resolveHostImage(options),
    command: buildInjectCommand(),
    volumeMounts: [buildInjectMount({ isReadOnly: false })],
  });
}

/** All containers of the Pod, in the order in which they run. */
export function buildContainers(
  options: PodOptions,
  plan: VolumePlan,
): Pick<PodSpec, 'initContainers' | 'containers'> {
  const initContainers = [
    ...(isInjected(options) ? [buildInjection(options)] : []),
    ...(options.config.workspace_prep === 'init' ? [buildWorkspacePrep(options, plan)] : []),
  ];
  const containers = [buildHost(options, plan)];
  return initContainers.length === 0 ? { containers } : { initContainers, containers };
}
