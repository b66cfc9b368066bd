/** A Pod that has ended, or is on its way out, as a whole: rejected, evicted, preempted, too old, deleted. */
import type { ErrorCode } from '@omnigent/protocol';
import type { Pod, PodCondition } from '../api/objects/pod.ts';
import { cleanText } from './clean-text.ts';
import { HOST_CONTAINER } from '../manifests/container-names.ts';
import { buildFailure } from './failure.ts';
import type { Failure } from './failure.ts';
import { hasHostStarted } from './find-containers.ts';

/** Reasons of the kubelet's admission; some also come with a message of its own only. */
const REJECTIONS =
  /^(OutOf\w+|NodeAffinity|NodePorts|UnexpectedAdmissionError|TaintToleration|TopologyAffinityError|InvalidNodeInfo|Node\w*Mismatch\w*)$/;
/** Another node would say the same. */
const HOPELESS_REJECTIONS =
  /^(PodOSNotSupported|PodOSSelectorNodeLabelDoesNotMatch|SysctlForbidden|AppArmor|PodLevelResourcesNotAdmittedReason)$/;
const DISRUPTIONS: ReadonlySet<string> = new Set(['DisruptionTarget', 'TerminationTarget']);

/** Codes of `reason` in a condition that says why a Pod is ended. */
const DISRUPTION_CODES: Readonly<Record<string, ErrorCode>> = {
  PreemptionByScheduler: 'pod_preempted',
  PreemptionByKubeScheduler: 'pod_preempted',
  Preempted: 'pod_preempted',
  Preempting: 'pod_preempted',
  DeletionByTaintManager: 'node_lost',
  DeletionByPodGC: 'node_lost',
  EvictionByEvictionAPI: 'pod_evicted',
  TerminationByKubelet: 'pod_evicted',
};

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  pod_preempted: 'the Pod was preempted',
  node_lost: 'the node of the Pod is gone',
  pod_evicted: 'the Pod was evicted',
};

function buildEnd(pod: Pod, code: ErrorCode, sentence: string): Failure {
  const isStarted = hasHostStarted(pod);
  return buildFailure(code, sentence, {
    container: isStarted ? HOST_CONTAINER : null,
    isRelaunchable: !isStarted,
  });
}

const withText = (sentence: string, text: string | undefined) =>
  text ? `${sentence}: ${cleanText(text)}` : sentence;

function diagnoseByReason(pod: Pod): Failure | null {
  const { reason = '', message = '', phase } = pod.status;
  if (
    /node shutdown/i.test(message) ||
    reason === 'NodeShutdown' ||
    (reason === 'Terminated' && phase === 'Failed')
  )
    return buildEnd(pod, 'node_lost', withText('the node of the Pod is shut down', message));
  if (phase !== 'Failed') return null;
  if (HOPELESS_REJECTIONS.test(reason))
    return buildFailure('pod_rejected', withText(`the node rejected the Pod (${reason})`, message));
  if (REJECTIONS.test(reason) || message.startsWith('Pod was rejected'))
    return buildEnd(pod, 'pod_rejected', withText(`the node rejected the Pod (${reason})`, message));
  switch (reason) {
    case 'Evicted':
      return buildEnd(pod, 'pod_evicted', withText('the Pod was evicted', message));
    case 'Preempting':
      return buildEnd(pod, 'pod_preempted', withText('the Pod was preempted', message));
    case 'DeadlineExceeded':
      return {
        ...buildEnd(pod, 'deadline_exceeded', withText('the Pod reached its lifetime', message)),
        isRelaunchable: false,
      };
    case 'NodeLost':
      return buildEnd(pod, 'node_lost', withText('the node of the Pod is gone', message));
    default:
      return null;
  }
}

function findDisruption(pod: Pod): PodCondition | undefined {
  return pod.status.conditions.find(
    ({ type, status }) => DISRUPTIONS.has(type) && (status === 'True' || status === ''),
  );
}

function diagnoseByDisruption(pod: Pod): Failure | null {
  const condition = findDisruption(pod);
  const code = DISRUPTION_CODES[condition?.reason ?? ''];
  if (condition === undefined || code === undefined) return null;
  return buildEnd(pod, code, withText(SENTENCES[code] ?? code, condition.message));
}

/** Why a Pod that is deleted, or about to be, goes. */
export function diagnoseDeletion(pod: Pod): Failure {
  const told = diagnoseByReason(pod) ?? diagnoseByDisruption(pod);
  if (told !== null) return told;
  if (pod.status.reason === 'NodeLost')
    return buildEnd(pod, 'node_lost', withText('the node of the Pod is gone', pod.status.message));
  const isStarted = hasHostStarted(pod);
  return buildFailure('pod_deleted', 'the Pod was deleted by another hand', {
    container: isStarted ? HOST_CONTAINER : null,
  });
}

/**
 * Why a Pod as a whole has ended; null while it lives, and when only its containers can tell.
 * An unknown or empty phase is neither an end nor a start.
 */
export function diagnosePodEnd(pod: Pod): Failure | null {
  if (pod.metadata.deletionTimestamp) return diagnoseDeletion(pod);
  const byReason = diagnoseByReason(pod);
  if (byReason !== null) return byReason;
  return pod.status.phase === 'Failed' ? diagnoseByDisruption(pod) : null;
}

/** The last word on a Pod of phase `Failed` or `Succeeded` that nothing else explains. */
export function diagnoseUnexplainedEnd(pod: Pod): Failure | null {
  const { phase, reason, message } = pod.status;
  if (phase !== 'Failed' && phase !== 'Succeeded') return null;
  const named = reason ? `${phase} (${reason})` : phase;
  return buildEnd(pod, 'pod_failed', withText(`the Pod ended as ${named} before the host ran`, message));
}
