/** How far a Pod has come. */
import type { ContainerStatus, Pod } from '../api/objects/pod.ts';
import type { PodStage } from './assessment.ts';
import { HOST_CONTAINER, WORKSPACE_CONTAINER } from '../manifests/container-names.ts';
import {
  findContainer,
  findHostStatus,
  findLastEnd,
  listFinishingInits,
  listSidecars,
} from './find-containers.ts';

function hasImage({ imageID }: ContainerStatus): boolean {
  return imageID !== undefined && imageID !== '';
}

export function isScheduled(pod: Pod): boolean {
  return (
    Boolean(pod.spec.nodeName) ||
    pod.status.conditions.some(({ type, status }) => type === 'PodScheduled' && status === 'True')
  );
}

/** Whether the node has the host's image: it made the host's container, or another one, out of it. */
function hasHostImage(pod: Pod): boolean {
  const host = findHostStatus(pod);
  if (/^(ErrImagePull|ImagePullBackOff)$/.test(host?.state.waiting?.reason ?? '')) return false;
  const image = findContainer(pod, HOST_CONTAINER)?.image;
  return [...pod.status.initContainerStatuses, ...pod.status.containerStatuses].some(
    (status) => hasImage(status) && findContainer(pod, status.name)?.image === image,
  );
}

/** The stage that a Pod is in while its host does not run yet. */
export function resolveStage(pod: Pod): PodStage {
  if (!isScheduled(pod)) return 'scheduling';
  const inits = listFinishingInits(pod);
  const prep = inits.find(({ name }) => name === WORKSPACE_CONTAINER);
  // An image of the operator's choice is pulled after the clone, which another image makes.
  if (prep?.state.terminated?.exitCode === 0) return hasHostImage(pod) ? 'starting' : 'pulling';
  if (prep?.state.running || prep?.state.terminated) return 'cloning';
  const host = findHostStatus(pod);
  if (host?.state.running || host?.state.terminated || (host !== undefined && hasImage(host)))
    return 'starting';
  // The host is not even pulled before each sidecar has started once.
  return listSidecars(pod).some(findLastEnd) ? 'starting' : 'pulling';
}

function describeState({ name, state, ...status }: ContainerStatus): string {
  const kind = state.running ? 'running' : state.terminated ? 'terminated' : 'waiting';
  return `${name}:${kind}:${hasImage({ name, state, ...status }) ? 'image' : ''}`;
}

/**
 * Text that changes when the Pod comes further. The reason of a waiting container is left out: an image that cannot be
 * pulled changes between two of them for ever.
 */
export function buildFingerprint(pod: Pod): string {
  const isReady = pod.status.conditions.some(
    ({ type, status }) => type === 'PodReadyToStartContainers' && status === 'True',
  );
  const inits = listFinishingInits(pod).map(describeState);
  const host = findHostStatus(pod);
  return [
    isScheduled(pod) ? 'scheduled' : 'pending',
    isReady ? 'sandbox' : '',
    ...inits,
    host === undefined ? '' : describeState(host),
  ].join('|');
}
