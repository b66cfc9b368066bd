/** What is known of a Pod now; never a guess. */
import { toErrorMessage } from '@omnigent/protocol';
import type { Inspection } from '../../port/launcher.ts';
import type { ClusterClient } from '../api/cluster-client.ts';
import type { Pod } from '../api/objects/pod.ts';
import { collectEvidence } from '../evidence/collect-evidence.ts';
import { assessPod, assessRunningHost } from '../status/assess-pod.ts';
import type { Failure } from '../status/failure.ts';
import { hasHostStarted } from '../status/find-containers.ts';

/** Why the host of a Pod is gone or will never come; null while neither is known. */
export function findFailure(pod: Pod, when: 'before' | 'after'): Failure | null {
  if (hasHostStarted(pod)) return assessRunningHost(pod, when);
  const assessment = assessPod(pod);
  return assessment.state === 'failed' ? assessment.failure : null;
}

async function inspectPresent(client: ClusterClient, pod: Pod): Promise<Inspection> {
  const failure = findFailure(pod, 'after');
  if (failure !== null) {
    const stage = hasHostStarted(pod) ? 'ready' : 'starting';
    return { state: 'gone', diagnosis: await collectEvidence(client, { pod, failure, stage }) };
  }
  const assessment = assessPod(pod);
  if (assessment.state === 'running') return { state: 'running' };
  const phase = pod.status.phase || 'unknown';
  return {
    state: 'unknown',
    message: `the host of Pod ${pod.metadata.name} does not run; its phase is ${phase}`,
  };
}

/** Reads the Pod; a cluster that cannot be asked is `unknown`. */
export async function inspectPod(
  client: ClusterClient,
  podName: string,
  signal: AbortSignal,
): Promise<Inspection> {
  try {
    const pod = await client.getPod(podName, { signal });
    return pod === null ? { state: 'gone', diagnosis: null } : await inspectPresent(client, pod);
  } catch (error) {
    signal.throwIfAborted();
    return { state: 'unknown', message: toErrorMessage(error) };
  }
}
