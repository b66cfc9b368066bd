/** Watches a Pod whose host runs, until it dies or goes. */
import type { Diagnosis } from '@omnigent/protocol';
import { buildDiagnosis } from '../../port/diagnosis.ts';
import type { ClusterClient } from '../api/cluster-client.ts';
import type { PodObservation } from '../api/pod-watch.ts';
import { judgePod } from '../status/judge-pod.ts';
import { diagnoseGone } from '../status/pod-fault.ts';
import type { Fault } from '../status/verdict.ts';
import { Observations } from '../wait/observations.ts';
import { diagnoseFailure } from './diagnose.ts';

/** A Pod that runs for hours is looked at less often than one that starts. */
const SILENCE_CHECK_MS = 120_000;

/** Resolves with the diagnosis of the end; rejects only when the signal aborts. */
export async function watchHost(
  client: ClusterClient,
  podName: string,
  signal: AbortSignal,
): Promise<Diagnosis> {
  using observations = new Observations(client.podWatch, {
    name: podName,
    lookUp: true,
    silenceCheckMs: SILENCE_CHECK_MS,
  });
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  aborted.catch(() => undefined);
  for (;;) {
    signal.throwIfAborted();
    for (const observation of observations.take()) {
      const ending = await judge(client, observation, podName);
      if (ending !== undefined) return ending;
    }
    await Promise.race([observations.whenChanged(), aborted]);
  }
}

async function judge(
  client: ClusterClient,
  observation: PodObservation,
  podName: string,
): Promise<Diagnosis | undefined> {
  if (observation.type === 'trouble') return undefined;
  if (observation.type === 'absent') {
    return buildDiagnosis({
      code: 'pod_deleted',
      message: `Pod ${podName} does not exist any more`,
      stage: 'connecting',
      provider_id: podName,
    });
  }
  const pod = observation.type === 'present' ? observation.pod : observation.last;
  const fault = findFault(observation);
  // Once it runs, the node cannot refuse it any more: nothing to launch again by itself.
  return fault === undefined
    ? undefined
    : { ...(await diagnoseFailure(client, { pod, fault, stage: 'connecting' })), relaunchable: false };
}

function findFault(observation: Extract<PodObservation, { type: 'present' | 'deleted' }>): Fault | undefined {
  if (observation.type === 'deleted') return diagnoseGone(observation.last);
  const verdict = judgePod(observation.pod);
  return verdict.state === 'failed' && verdict.fault.graceMs === 0 ? verdict.fault : undefined;
}
