/** Removes Pod and Secret of a sandbox: both are attempted whatever the other answers; what is gone is success. */
import type { Clock } from '@omnigent/protocol';
import { toErrorMessage } from '@omnigent/protocol';
import { ClusterError } from '../api/cluster-error.ts';
import type { ClusterClient } from '../api/cluster-client.ts';
import { buildTokenSecretName } from '../names/object-names.ts';
import { Observations } from '../wait/observations.ts';

export interface DeleteSandboxOptions {
  readonly client: ClusterClient;
  readonly podName: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether to wait until the Pod is gone, not only on its way. */
  readonly isWaiting: boolean;
  /** Only the Pod of this uid; any when absent. */
  readonly uid?: string;
}

/** Time that a node gets beyond the Pod's own grace before it is suspected to be gone. */
const NODE_SLACK_MS = 60_000;

/** @throws ClusterError when one of the two could not be deleted. */
export async function deleteSandbox(options: DeleteSandboxOptions): Promise<void> {
  const { client, podName, signal, uid } = options;
  const results = await Promise.allSettled([
    client.deletePod(podName, { signal, ...(uid === undefined ? {} : { uid }) }),
    client.deleteSecret(buildTokenSecretName(podName), { signal }),
  ]);
  const errors = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  if (errors.length > 1) throw new AggregateError(errors, errors.map(toErrorMessage).join('; '));
  if (errors.length === 1) throw errors[0];
  const [pod] = results;
  if (options.isWaiting && pod.status === 'fulfilled' && pod.value === 'accepted')
    await waitUntilGone(options);
}

async function waitUntilGone(options: DeleteSandboxOptions): Promise<void> {
  const { client, podName, clock, signal } = options;
  using observations = new Observations(client.podWatch, { name: podName, lookUp: true });
  let isForced = false;
  let deadline = Number.POSITIVE_INFINITY;
  for (;;) {
    signal.throwIfAborted();
    for (const observation of observations.take()) {
      if (observation.type === 'absent' || observation.type === 'deleted') return;
      if (observation.type !== 'present') continue;
      const { metadata, spec } = observation.pod;
      const grace = (metadata.deletionGracePeriodSeconds ?? 30) * 1000;
      deadline = Math.min(deadline, clock.monotonicMs() + grace + NODE_SLACK_MS);
      if (isForced || clock.monotonicMs() < deadline || spec.nodeName === undefined) continue;
      isForced = await forceWhenNodeIsGone(options, { uid: metadata.uid, node: spec.nodeName });
    }
    const controller = new AbortController();
    const both = AbortSignal.any([signal, controller.signal]);
    const left = Math.min(NODE_SLACK_MS, Math.max(1_000, deadline - clock.monotonicMs()));
    await Promise.race([
      observations.whenChanged(),
      clock.sleep(left, { signal: both }).catch(() => undefined),
    ]);
    controller.abort();
  }
}

/** Force deletion takes a Pod from the API while it may still run: only when its node does not exist any more. */
async function forceWhenNodeIsGone(
  options: DeleteSandboxOptions,
  { uid, node }: { readonly uid: string; readonly node: string },
): Promise<boolean> {
  const { client, podName, signal } = options;
  try {
    if ((await client.readNode(node, { signal })) !== null) return false;
    await client.deletePod(podName, { signal, uid, gracePeriodSeconds: 0 });
    return true;
  } catch (error) {
    // Without the right to read nodes it stays with the graceful deletion.
    if (error instanceof ClusterError) return false;
    throw error;
  }
}
