/** Looking things up in a Pod; every status array may be empty. */
import type { Container, ContainerStatus, Pod } from '../api/objects/pod.ts';
import { HOST_CONTAINER } from '../manifests/container-names.ts';

/** The status of the container named `host`, wherever it stands in the list. */
export function findHostStatus(pod: Pod): ContainerStatus | undefined {
  return pod.status.containerStatuses.find(({ name }) => name === HOST_CONTAINER);
}

/** A container of the spec by name, also an init container. */
export function findContainer(pod: Pod, name: string): Container | undefined {
  return [...pod.spec.containers, ...pod.spec.initContainers].find((container) => container.name === name);
}

/** Init containers that have to end; those that restart are sidecars. */
export function listFinishingInits(pod: Pod): ContainerStatus[] {
  return pod.status.initContainerStatuses.filter(
    ({ name }) => findContainer(pod, name)?.restartPolicy !== 'Always',
  );
}

export function listSidecars(pod: Pod): ContainerStatus[] {
  return pod.status.initContainerStatuses.filter(
    ({ name }) => findContainer(pod, name)?.restartPolicy === 'Always',
  );
}

/** How a container that is started again ended last; stays when it runs again. */
export function findLastEnd({ state, lastState }: ContainerStatus): ContainerStatus['state']['terminated'] {
  return state.terminated ?? lastState.terminated;
}

/** Whether the host has ever run: then a relaunch would not be the same launch again. */
export function hasHostStarted(pod: Pod): boolean {
  const status = findHostStatus(pod);
  if (status === undefined) return false;
  const { state, lastState } = status;
  return Boolean(state.running ?? state.terminated ?? lastState.terminated ?? lastState.running);
}

/** The memory limit of a container as it was configured, such as `4Gi`. */
export function findMemoryLimit(pod: Pod, name: string): string | null {
  const limits: Readonly<Record<string, string>> = findContainer(pod, name)?.resources.limits ?? {};
  return limits['memory'] ?? null;
}
