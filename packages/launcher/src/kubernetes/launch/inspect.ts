/** What is known of a Pod now; never a guess. */
import { toErrorMessage } from '@omnigent/protocol';
import type { Inspection } from '../../port/launcher.ts';
import type { ClusterClient } from '../api/cluster-client.ts';
import { judgePod } from '../status/judge-pod.ts';
import { diagnoseFailure } from './diagnose.ts';

export async function inspectPod(
  client: ClusterClient,
  podName: string,
  signal: AbortSignal,
): Promise<Inspection> {
  try {
    const pod = await client.getPod(podName, { signal });
    if (pod === null) return { state: 'gone', diagnosis: null };
    const verdict = judgePod(pod);
    if (verdict.state === 'running') return { state: 'running' };
    if (verdict.state === 'waiting')
      return { state: 'unknown', message: `Pod ${podName} is at ${verdict.stage}` };
    return {
      state: 'gone',
      diagnosis: await diagnoseFailure(client, { pod, fault: verdict.fault, stage: 'ready' }),
    };
  } catch (error) {
    return { state: 'unknown', message: toErrorMessage(error) };
  }
}
