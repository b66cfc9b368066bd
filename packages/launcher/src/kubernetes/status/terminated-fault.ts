/** Containers that have ended although they should run, or have failed. */
import type { Pod, TerminatedState } from '../api/objects/pod.ts';
import { HOST_CONTAINER, WORKSPACE_CONTAINER } from '../manifests/container-names.ts';
import { buildFault } from './verdict.ts';
import type { Fault } from './verdict.ts';

/** How a container ended, in words. */
export function renderEnd({ exitCode, signal, reason }: TerminatedState): string {
  const by =
    signal === undefined || signal === null || signal === 0 ? `exit code ${exitCode}` : `signal ${signal}`;
  return reason === undefined || reason === 'Error' || reason === 'Completed' ? by : `${by} (${reason})`;
}

/** The memory limit of a container as it was configured. */
export function findMemoryLimit(pod: Pod, name: string): string | null {
  const container = [...pod.spec.containers, ...pod.spec.initContainers].find(
    (candidate) => candidate.name === name,
  );
  return container?.resources.limits['memory'] ?? null;
}

function renderLimit(pod: Pod, name: string): string {
  const limit = findMemoryLimit(pod, name);
  return limit === null ? '' : ` (limit ${limit})`;
}

/** An init container that failed. A restartable one (a sidecar) may end and come again. */
export function diagnoseInit(pod: Pod): Fault | undefined {
  const sidecars = new Set(
    pod.spec.initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  for (const { name, state, lastState } of pod.status.initContainerStatuses) {
    const terminated = state.terminated ?? (state.waiting == null ? undefined : lastState.terminated);
    if (sidecars.has(name) || terminated == null || terminated.exitCode === 0) continue;
    const isClone = name === WORKSPACE_CONTAINER;
    if (terminated.reason === 'OOMKilled') {
      const code = isClone ? 'clone_out_of_memory' : 'init_container_failed';
      return buildFault({
        code,
        container: name,
        message: `${isClone ? 'the clone' : `init container ${name}`} ran out of memory${renderLimit(pod, name)}`,
      });
    }
    const what = isClone
      ? 'the workspace could not be prepared: container workspace-prep'
      : `init container ${name}`;
    return buildFault({
      code: isClone ? 'clone_failed' : 'init_container_failed',
      container: name,
      message: `${what} ended with ${renderEnd(terminated)}`,
    });
  }
  return undefined;
}

/** The host that has ended: dead, whatever the phase says. */
export function diagnoseHost(pod: Pod): Fault | undefined {
  const status = pod.status.containerStatuses.find(({ name }) => name === HOST_CONTAINER);
  // After a restart of the node the state may be waiting again while the end is in lastState.
  const terminated =
    status?.state.terminated ?? (status?.state.running == null ? status?.lastState.terminated : undefined);
  if (terminated == null) return undefined;
  if (terminated.reason === 'OOMKilled') {
    return buildFault({
      code: 'host_out_of_memory',
      container: HOST_CONTAINER,
      message: `the host was killed for memory${renderLimit(pod, HOST_CONTAINER)}`,
    });
  }
  return buildFault({
    code: 'host_exited',
    container: HOST_CONTAINER,
    message: `the host ended with ${renderEnd(terminated)} before it was connected`,
  });
}
