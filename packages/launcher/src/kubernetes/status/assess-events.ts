/** What the events of a Pod add to its status. They cost a request, so they are asked for only when the Pod stands still. */
import type { ClusterEvent } from '../api/objects/event.ts';
import type { Pod } from '../api/objects/pod.ts';
import { cleanText } from './clean-text.ts';
import { HOST_CONTAINER } from '../manifests/container-names.ts';
import { diagnoseMissing } from './diagnose-missing.ts';
import { diagnosePull } from './diagnose-waiting.ts';
import { buildFailure } from './failure.ts';
import type { Doubt } from './failure.ts';
import { findContainer } from './find-containers.ts';

export interface EventsAssessment {
  /** An autoscaler is making a node for the Pod. */
  readonly isScalingUp: boolean;
  /** An autoscaler says that no node it could make would help. */
  readonly noScaleUp: string | null;
  /** The node pulls an image right now. */
  readonly isPulling: boolean;
  /** Fails the launch when it lasts. */
  readonly doubt: Doubt | null;
  /** What is wrong by the newest warning; decides what a stage that took too long is called. */
  readonly trouble: 'volume' | 'pod_sandbox' | null;
  /** The newest warning that tells something. */
  readonly detail: string | null;
}

const SCALE_UP: ReadonlySet<string> = new Set(['TriggeredScaleUp', 'Nominated']);
const VOLUME: ReadonlySet<string> = new Set(['FailedMount', 'FailedAttachVolume', 'FailedMapVolume']);
const POD_SANDBOX: ReadonlySet<string> = new Set(['FailedCreatePodSandBox', 'FailedPodSandBoxStatus']);
/** The kubelet mounts again after half a second, then ever more rarely. */
const MOUNT_GRACE_MS = 10_000;
const MAX_SANDBOX_FAILURES = 8;

/** How often an event was seen. */
export function countEvent({ series, count }: ClusterEvent): number {
  return Math.max(series?.count ?? 0, count ?? 0, 1);
}

/** When an event was seen last, as the cluster writes it. */
export function toLastSeen({ series, lastTimestamp, eventTime, metadata }: ClusterEvent): string | null {
  return series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? null;
}

/** Events of this very Pod: neither of a namesake nor from before it was created. */
export function selectOwnEvents(events: readonly ClusterEvent[], pod: Pod): ClusterEvent[] {
  const { uid, creationTimestamp } = pod.metadata;
  const bornMs = creationTimestamp ? Date.parse(creationTimestamp) : 0;
  return events
    .filter(({ involvedObject }) => involvedObject.uid === undefined || involvedObject.uid === uid)
    .filter((event) => Date.parse(toLastSeen(event) ?? '') >= bornMs || toLastSeen(event) === null);
}

/** Name of the container that an event is about. */
function toContainerName({ involvedObject }: ClusterEvent): string {
  return /^spec\.(?:initC|c)ontainers\{(.+)\}$/.exec(involvedObject.fieldPath ?? '')?.[1] ?? HOST_CONTAINER;
}

function assessPullFailure(event: ClusterEvent, pod: Pod): Doubt | null {
  const { message } = event;
  if (event.reason !== 'Failed' || !message?.startsWith('Failed to pull image')) return null;
  const name = toContainerName(event);
  return diagnosePull(message, { name, image: findContainer(pod, name)?.image ?? '' });
}

function assessMount({ reason, message }: ClusterEvent): Doubt | null {
  if (!VOLUME.has(reason ?? '') || !message) return null;
  const missing = diagnoseMissing(message, 'the Pod');
  return missing === null ? null : { ...missing, graceMs: MOUNT_GRACE_MS };
}

function assessPodSandbox(event: ClusterEvent): Doubt | null {
  if (!POD_SANDBOX.has(event.reason ?? '') || countEvent(event) < MAX_SANDBOX_FAILURES) return null;
  const text = cleanText(event.message ?? '');
  const message = `the node failed ${countEvent(event)} times to set the Pod up: ${text}`;
  return { failure: buildFailure('pod_sandbox_failed', message, { isRelaunchable: true }), graceMs: 0 };
}

function isPulling(events: readonly ClusterEvent[]): boolean {
  const last = events.findLast(
    ({ reason, message }) =>
      reason === 'Pulling' ||
      reason === 'Pulled' ||
      (reason === 'Failed' && message?.startsWith('Failed to pull image') === true),
  );
  return last?.reason === 'Pulling';
}

function toTrouble(warning: ClusterEvent | undefined): EventsAssessment['trouble'] {
  if (VOLUME.has(warning?.reason ?? '')) return 'volume';
  return POD_SANDBOX.has(warning?.reason ?? '') ? 'pod_sandbox' : null;
}

function findLastMessage(events: readonly ClusterEvent[], reason: string): string | null {
  const message = events.findLast((event) => event.reason === reason)?.message;
  return message ? cleanText(message) : null;
}

/** Reads events, oldest first. A mount that fails is no verdict by itself, unless it names what does not exist. */
export function assessEvents(all: readonly ClusterEvent[], pod: Pod): EventsAssessment {
  const events = selectOwnEvents(all, pod);
  const warnings = events.filter(({ type }) => type === 'Warning');
  // `Error: ErrImagePull` repeats what the status says.
  const telling = warnings.filter(({ message }) => message && !/^Error: \w+$/.test(message));
  const last = telling.at(-1);
  const doubt = telling.reduce<Doubt | null>(
    (found, event) => found ?? assessPullFailure(event, pod) ?? assessMount(event) ?? assessPodSandbox(event),
    null,
  );
  return {
    isScalingUp: events.some(({ reason }) => SCALE_UP.has(reason ?? '')),
    noScaleUp: findLastMessage(events, 'NotTriggerScaleUp'),
    isPulling: isPulling(events),
    doubt,
    trouble: toTrouble(last),
    detail: last?.message ? `${last.reason ?? 'Warning'}: ${cleanText(last.message)}` : null,
  };
}
