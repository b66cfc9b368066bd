/** The one place that reads a Pod's status: everything that a launch decides by it comes from here. */
import type { ContainerStatus, Pod } from '../api/objects/pod.ts';
import type { Assessment, Waiting } from './assessment.ts';
import { cleanText } from './clean-text.ts';
import { diagnoseMissing } from './diagnose-missing.ts';
import { diagnosePodEnd, diagnoseUnexplainedEnd } from './diagnose-pod-end.ts';
import { diagnoseHostEnd, diagnoseInitEnd } from './diagnose-terminated.ts';
import { diagnoseSidecar, diagnoseWaiting } from './diagnose-waiting.ts';
import type { WaitingVerdict } from './diagnose-waiting.ts';
import type { Failure } from './failure.ts';
import { findHostStatus, listFinishingInits, listSidecars } from './find-containers.ts';
import { buildFingerprint, resolveStage } from './resolve-stage.ts';

const NOTHING: WaitingVerdict = { doubt: null, detail: null, isUnexplained: false };

function findInitFailure(pod: Pod): Failure | null {
  for (const status of listFinishingInits(pod)) {
    const failure = diagnoseInitEnd(pod, status);
    if (failure !== null) return failure;
  }
  return null;
}

/** The container whose waiting holds the Pod up: an init container or a sidecar before it, then the host. Others do not. */
function findVerdict(pod: Pod): WaitingVerdict {
  const host = findHostStatus(pod);
  const isWaiting = ({ state }: ContainerStatus) => Boolean(state.waiting);
  const verdicts = [
    ...listFinishingInits(pod)
      .filter(isWaiting)
      .map((status) => diagnoseWaiting(pod, status)),
    ...listSidecars(pod)
      .filter(({ state }) => !state.running)
      .map((status) => diagnoseSidecar(pod, status)),
    ...(host !== undefined && isWaiting(host) ? [diagnoseWaiting(pod, host)] : []),
  ];
  const telling =
    verdicts.find(({ doubt }) => doubt !== null) ?? verdicts.find(({ detail }) => detail !== null);
  return telling ?? NOTHING;
}

function assessScheduling(pod: Pod): WaitingVerdict {
  const condition = pod.status.conditions.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  );
  if (condition?.message === undefined) return NOTHING;
  const text = cleanText(condition.message);
  // Everything else that keeps a Pod from its node may change by itself: autoscalers live on it.
  const doubt = diagnoseMissing(condition.message, 'the Pod');
  return { doubt, detail: text, isUnexplained: false };
}

function assessWaiting(pod: Pod): Waiting {
  const stage = resolveStage(pod);
  const verdict = stage === 'scheduling' ? assessScheduling(pod) : findVerdict(pod);
  return { state: 'waiting', stage, fingerprint: buildFingerprint(pod), ...verdict };
}

/**
 * Reads a Pod on its way to a running host.
 *
 * Success is the container named `host` running; phase alone proves nothing. `failed` is final; a `doubt` of a waiting
 * Pod fails when it outlives its grace.
 */
export function assessPod(pod: Pod): Assessment {
  const host = findHostStatus(pod);
  const stage = resolveStage(pod);
  const hostEnd = host === undefined ? null : diagnoseHostEnd(pod, host, 'before');
  const failure = diagnosePodEnd(pod) ?? findInitFailure(pod) ?? hostEnd;
  if (failure !== null) return { state: 'failed', stage, failure };
  if (host?.state.running) return { state: 'running' };
  const end = diagnoseUnexplainedEnd(pod);
  if (end !== null) return { state: 'failed', stage, failure: end };
  const waiting = assessWaiting(pod);
  if (waiting.doubt?.graceMs === 0) return { state: 'failed', stage, failure: waiting.doubt.failure };
  return waiting;
}

/**
 * Why a host that ran is gone; null while it lives or nobody can tell (phase `Unknown`).
 *
 * @param when whether it ended before it was connected or after.
 */
export function assessRunningHost(pod: Pod, when: 'before' | 'after'): Failure | null {
  const host = findHostStatus(pod);
  return (
    diagnosePodEnd(pod) ??
    (host === undefined ? null : diagnoseHostEnd(pod, host, when)) ??
    diagnoseUnexplainedEnd(pod)
  );
}
