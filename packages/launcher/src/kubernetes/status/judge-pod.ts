/** The one table from a Pod to a verdict. Pure; the phase alone proves nothing, and every status array may be empty. */
import type { Stage } from '@omnigent/protocol';
import type { Pod } from '../api/objects/pod.ts';
import { HOST_CONTAINER, WORKSPACE_CONTAINER } from '../manifests/container-names.ts';
import { diagnoseDeletion, diagnosePhase } from './pod-fault.ts';
import { diagnoseHost, diagnoseInit } from './terminated-fault.ts';
import { buildFault } from './verdict.ts';
import type { Fault, Verdict } from './verdict.ts';
import { diagnoseWaiting } from './waiting-fault.ts';

/** Only our own containers decide; an injected sidecar that waits is not ours to judge. */
function diagnoseContainers(pod: Pod): Fault | undefined {
  const ours = [...pod.status.initContainerStatuses, ...pod.status.containerStatuses].filter(
    ({ name }) => name === HOST_CONTAINER || name === WORKSPACE_CONTAINER,
  );
  for (const status of ours) {
    const fault = diagnoseWaiting(status);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** A Pod that ended without anyone having looked: exit 0 before the host was ever online is a failure too. */
function diagnoseSucceeded(pod: Pod): Fault | undefined {
  return pod.status.phase === 'Succeeded'
    ? buildFault({
        code: 'host_exited',
        container: HOST_CONTAINER,
        message: 'the host ended before it was connected',
      })
    : undefined;
}

/** Judges a Pod. */
export function judgePod(pod: Pod): Verdict {
  // More special facts first: a container's end says more than the phase that follows from it.
  const fault =
    diagnoseInit(pod) ??
    diagnoseHost(pod) ??
    diagnosePhase(pod) ??
    diagnoseDeletion(pod) ??
    diagnoseContainers(pod) ??
    diagnoseSucceeded(pod);
  if (fault !== undefined) return { state: 'failed', fault };
  const host = pod.status.containerStatuses.find(({ name }) => name === HOST_CONTAINER);
  if (host?.state.running != null) return { state: 'running' };
  const detail = findDetail(pod);
  return {
    state: 'waiting',
    stage: findStage(pod),
    progress: toProgress(pod),
    ...(detail === undefined ? {} : { detail }),
  };
}

function isScheduled(pod: Pod): boolean {
  return (
    pod.spec.nodeName !== undefined ||
    pod.status.conditions.some(({ type, status }) => type === 'PodScheduled' && status === 'True')
  );
}

/** The stage in which a Pod that does not run yet is. */
function findStage(pod: Pod): Stage {
  if (!isScheduled(pod)) return 'scheduling';
  const prep = pod.status.initContainerStatuses.find(({ name }) => name === WORKSPACE_CONTAINER);
  if (prep?.state.running != null) return 'cloning';
  return prep?.state.terminated == null ? 'pulling' : 'starting';
}

/** What people should know while it waits. */
function findDetail(pod: Pod): string | undefined {
  const statuses = [...pod.status.initContainerStatuses, ...pod.status.containerStatuses];
  const pull = statuses.find(({ state }) =>
    /^(ErrImagePull|ImagePullBackOff)$/.test(state.waiting?.reason ?? ''),
  );
  if (pull !== undefined)
    return `the image of container ${pull.name} cannot be pulled now, still retrying: ${pull.state.waiting?.message ?? ''}`;
  const unschedulable = pod.status.conditions.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  );
  return unschedulable?.message;
}

/** Changes whenever the Pod has come further; a retry that flips between two waiting reasons is none. */
function toProgress(pod: Pod): string {
  const containers = [...pod.status.initContainerStatuses, ...pod.status.containerStatuses].map(
    ({ name, state }) => {
      const kind = state.running != null ? 'running' : state.terminated != null ? 'terminated' : 'waiting';
      return `${name}=${kind}`;
    },
  );
  return [String(isScheduled(pod)), ...containers].join(' ');
}
