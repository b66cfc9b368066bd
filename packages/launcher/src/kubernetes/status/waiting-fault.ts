/** Containers that wait for something that will not come. */
import type { ContainerStatus } from '../api/objects/pod.ts';
import { diagnosePull } from './image-fault.ts';
import { buildFault } from './verdict.ts';
import type { Fault } from './verdict.ts';

/** A Secret may be created a moment after the Pod, and the kubelet looks again only after a few seconds. */
const LATE_OBJECT_MS = 8_000;
const START_RETRY_MS = 3_000;

const START_REASONS = new Set([
  'CreateContainerError',
  'RunContainerError',
  'PreStartHookError',
  'PostStartHookError',
  'ImageInspectError',
  'RegistryUnavailable',
]);

/** The fault of a container that waits; undefined while waiting is right. */
export function diagnoseWaiting({ name, state, image }: ContainerStatus): Fault | undefined {
  const reason = state.waiting?.reason ?? '';
  const message = state.waiting?.message ?? '';
  const where = `container ${name}`;
  const shown = image === undefined || image === '' ? '' : ` ${image}`;
  switch (reason) {
    case 'InvalidImageName':
      return buildFault({
        code: 'image_name_invalid',
        container: name,
        message: `${where}: the image name${shown} is not valid: ${message}`,
      });
    case 'ErrImageNeverPull':
      return buildFault({
        code: 'image_never_pull',
        container: name,
        graceMs: START_RETRY_MS,
        message: `${where}: the image${shown} is not on the node and is never pulled: ${message}`,
      });
    case 'ErrImagePull':
    case 'ImagePullBackOff': {
      const code = diagnosePull(message);
      return code === undefined
        ? undefined
        : buildFault({
            code,
            container: name,
            message: `${where}: the image${shown} cannot be pulled: ${message}`,
          });
    }
    case 'CreateContainerConfigError':
      return diagnoseConfigError(name, message);
    default:
      if (!START_REASONS.has(reason)) return undefined;
      return buildFault({
        code: 'container_start_failed',
        container: name,
        graceMs: START_RETRY_MS,
        message: `${where} cannot be started (${reason}): ${message}`,
      });
  }
}

function diagnoseConfigError(name: string, message: string): Fault {
  const [, kind, object] = /(secret|configmap) "([^"]+)" not found/i.exec(message) ?? [];
  const base = { container: name, graceMs: LATE_OBJECT_MS };
  if (kind !== undefined) {
    const isSecret = kind.toLowerCase() === 'secret';
    return buildFault({
      ...base,
      code: isSecret ? 'secret_not_found' : 'config_map_not_found',
      message: `container ${name}: the ${isSecret ? 'Secret' : 'ConfigMap'} ${object} does not exist`,
    });
  }
  const hint = message.includes('runAsNonRoot') ? '; set a numeric runAsUser' : '';
  return buildFault({
    ...base,
    code: 'container_config_invalid',
    message: `container ${name} cannot be configured: ${message}${hint}`,
  });
}
