/** Faults of the Pod as a whole: rejected, evicted, preempted, deleted, failed. */
import type { Pod } from '../api/objects/pod.ts';
import { buildFault } from './verdict.ts';
import type { Fault } from './verdict.ts';

const REJECTED =
  /^(OutOf.*|NodeAffinity|NodePorts|UnexpectedAdmissionError|TopologyAffinityError|InvalidNodeInfo|UnsupportedPodSpec|PodOSNotSupported)$/;
const NODE_GONE = /^(NodeLost|NodeShutdown|Shutdown|Terminated)$/;

function hasHostRun({ status }: Pod): boolean {
  return status.containerStatuses.some(
    ({ name, state, lastState }) =>
      name === 'host' && (state.running != null || state.terminated != null || lastState.terminated != null),
  );
}

/** The condition by which Kubernetes says why it ends a Pod. */
function findDisruption({ status }: Pod): { readonly reason: string; readonly message: string } | undefined {
  const condition = status.conditions.find(
    ({ type, status: value }) =>
      ['DisruptionTarget', 'TerminationTarget'].includes(type) && value !== 'False',
  );
  return condition === undefined
    ? undefined
    : { reason: condition.reason ?? '', message: condition.message ?? '' };
}

const withMessage = (text: string, message: string | undefined) =>
  message === undefined || message === '' ? text : `${text}: ${message}`;

/** A Pod on its way out under us. */
export function diagnoseDeletion(pod: Pod): Fault | undefined {
  if (pod.metadata.deletionTimestamp == null) return undefined;
  return diagnoseGone(pod);
}

/** A Pod that is gone or going, by what it last said. */
export function diagnoseGone(pod: Pod): Fault {
  const name = pod.metadata.name;
  const disruption = findDisruption(pod);
  const relaunchable = !hasHostRun(pod);
  if (disruption !== undefined && /Preempt/.test(disruption.reason)) {
    return buildFault({
      code: 'pod_preempted',
      relaunchable,
      message: withMessage(`Pod ${name} was preempted`, disruption.message),
    });
  }
  if (
    disruption !== undefined &&
    /Eviction|TerminationByKubelet|DeletionByTaintManager|DeletionByPodGC/.test(disruption.reason)
  ) {
    const code = /TaintManager|PodGC/.test(disruption.reason) ? 'node_lost' : 'pod_evicted';
    return buildFault({
      code,
      message: withMessage(`Pod ${name} was ended (${disruption.reason})`, disruption.message),
    });
  }
  return buildFault({ code: 'pod_deleted', message: `Pod ${name} was deleted by another hand` });
}

/** A Pod whose phase or reason says that it has failed. */
export function diagnosePhase(pod: Pod): Fault | undefined {
  const { phase, reason = '', message } = pod.status;
  const name = pod.metadata.name;
  if (NODE_GONE.test(reason)) {
    return buildFault({
      code: 'node_lost',
      relaunchable: !hasHostRun(pod),
      message: withMessage(`Pod ${name}: its node was shut down or lost (${reason})`, message),
    });
  }
  if (phase !== 'Failed') return undefined;
  if (reason === 'Evicted') {
    return buildFault({
      code: 'pod_evicted',
      relaunchable: !hasHostRun(pod),
      message: withMessage(`Pod ${name} was evicted`, message),
    });
  }
  if (reason === 'Preempting') {
    return buildFault({
      code: 'pod_preempted',
      relaunchable: !hasHostRun(pod),
      message: withMessage(`Pod ${name} was preempted`, message),
    });
  }
  if (reason === 'DeadlineExceeded') {
    return buildFault({
      code: 'deadline_exceeded',
      message: withMessage(`Pod ${name} reached its lifetime`, message),
    });
  }
  if (REJECTED.test(reason)) {
    return buildFault({
      code: 'pod_rejected',
      relaunchable: true,
      message: withMessage(`Pod ${name} was rejected by its node (${reason})`, message),
    });
  }
  return buildFault({
    code: 'pod_failed',
    message: withMessage(`Pod ${name} failed${reason === '' ? '' : ` (${reason})`}`, message),
  });
}
