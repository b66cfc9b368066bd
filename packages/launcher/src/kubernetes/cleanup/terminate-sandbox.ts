/** Ends a sandbox: both objects deleted, and the Pod seen to be gone. */
import { SandboxError } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import type { ClusterClient } from '../api/cluster-client.ts';
import { ClusterError } from '../api/cluster-error.ts';
import type { Pod } from '../api/objects/pod.ts';
import { openPodInbox } from '../wait/pod-inbox.ts';
import type { PodInbox } from '../wait/pod-inbox.ts';
import { deleteObjects } from './delete-objects.ts';

export interface TerminateOptions {
  readonly client: ClusterClient;
  readonly podName: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What a node gets beyond the Pod's own grace before it is suspected to be gone. */
const SLACK_MS = 30_000;
/** A watch that is late must not keep a sandbox that is gone: the Pod is read directly now and then. */
const LOOK_MS = 10_000;
const DEFAULT_GRACE_SECONDS = 30;

/** What the inbox says of the Pod: gone, or how it is now; undefined when nothing came. */
function readInbox(inbox: PodInbox): Pod | 'gone' | undefined {
  let latest: Pod | 'gone' | undefined;
  for (const observation of inbox.take()) {
    if (observation.type === 'absent' || observation.type === 'deleted') latest = 'gone';
    else if (observation.type === 'present') latest = observation.pod;
  }
  return latest;
}

/** Whether the node that would have to end the Pod does not exist any more. Without the right to ask, it is not known. */
async function isNodeGone({ client, signal }: TerminateOptions, pod: Pod): Promise<boolean> {
  const { nodeName } = pod.spec;
  const isCollected = pod.status.conditions.some(
    ({ type, status, reason }) =>
      type === 'DisruptionTarget' && status === 'True' && reason === 'DeletionByPodGC',
  );
  if (isCollected || pod.status.reason === 'NodeLost') return true;
  if (!nodeName) return false;
  try {
    return (await client.readNode(nodeName, { signal, retryForMs: 0 })) === null;
  } catch (error) {
    if (error instanceof ClusterError) return false;
    throw error;
  }
}

/** Force deletion takes a Pod from the API while its programs may still run: only when its node is gone. */
async function forceDeletion(options: TerminateOptions, pod: Pod): Promise<void> {
  const { client, podName, signal } = options;
  const { uid } = pod.metadata;
  if (await isNodeGone(options, pod)) {
    await client.deletePod(podName, { uid, gracePeriodSeconds: 0, signal });
    return;
  }
  const node = pod.spec.nodeName ?? 'no node';
  throw new SandboxError('timeout', `Pod ${podName} is deleted but does not go; its node is ${node}`);
}

/** Until when the node should have ended the Pod, counted from the request. */
function toDeadlineMs(startMs: number, pod: Pod | null): number {
  const seconds = pod?.metadata.deletionGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  return startMs + seconds * 1_000 + SLACK_MS;
}

async function readPod({ client, podName, signal }: TerminateOptions): Promise<Pod | 'gone'> {
  return (await client.getPod(podName, { signal })) ?? 'gone';
}

async function waitUntilGone(options: TerminateOptions, inbox: PodInbox): Promise<void> {
  const { clock, signal } = options;
  const startMs = clock.monotonicMs();
  let pod: Pod | null = null;
  let lookMs = startMs + LOOK_MS;
  for (;;) {
    let latest = readInbox(inbox);
    if (latest === undefined && clock.monotonicMs() >= lookMs) {
      latest = await readPod(options);
      lookMs = clock.monotonicMs() + LOOK_MS;
    }
    if (latest === 'gone') return;
    pod = latest ?? pod;
    const deadlineMs = toDeadlineMs(startMs, pod);
    if (clock.monotonicMs() >= deadlineMs) {
      const last = await readPod(options);
      return last === 'gone' ? undefined : await forceDeletion(options, last);
    }
    await inbox.wait({ clock, signal, delayMs: Math.min(lookMs, deadlineMs) - clock.monotonicMs() });
  }
}

/**
 * Resolves when Pod and Secret are gone; a sandbox that never was is gone too.
 *
 * @throws ClusterError when the cluster refuses; SandboxError `timeout` when the Pod does not go though its node is there.
 */
export async function terminateSandbox(options: TerminateOptions): Promise<void> {
  const { client, podName, signal } = options;
  if ((await deleteObjects({ client, podName, signal })) === 'gone') return;
  // The look-up finds a Pod that went before the subscription.
  using inbox = openPodInbox(client.podWatch, { name: podName, lookUp: true });
  await waitUntilGone(options, inbox);
}
