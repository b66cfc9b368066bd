/** Collects the evidence of a failure before anything is deleted; every look-up is best effort. */
import type { Diagnosis, Stage } from '@omnigent/protocol';
import { ERRORS } from '@omnigent/protocol';
import { buildDiagnosis } from '../../port/diagnosis.ts';
import { isClusterError } from '../api/cluster-error.ts';
import type { ClusterClient } from '../api/cluster-client.ts';
import type { Pod } from '../api/objects/pod.ts';
import { buildContainerEvidence, buildEventEvidence } from '../status/evidence.ts';
import { toLogTail } from '../status/log-tail.ts';
import type { Fault } from '../status/verdict.ts';

const LOOK_UP_MS = 5_000;
const LOG_LINES = 20;
const LOG_BYTES = 32 * 1024;

export interface FailureFacts {
  readonly pod: Pod;
  readonly fault: Fault;
  readonly stage: Stage;
}

/** The diagnosis of a Pod that failed. Never rejects. */
export async function diagnoseFailure(
  client: ClusterClient,
  { pod, fault, stage }: FailureFacts,
): Promise<Diagnosis> {
  const notes: string[] = [];
  const [events, log] = await Promise.all([
    readEvents(client, pod, notes),
    readLog(client, { pod, container: fault.container, notes }),
  ]);
  const meshHint = findMeshHint(pod, log);
  const describe = `See also: kubectl describe pod ${pod.metadata.name} -n ${client.namespace}`;
  return buildDiagnosis({
    code: fault.code,
    message: fault.message,
    advice: [ERRORS[fault.code].advice, ...meshHint, describe].join(' '),
    stage,
    provider_id: pod.metadata.name,
    containers: buildContainerEvidence(pod, fault.container),
    events: buildEventEvidence(events, pod),
    log: log === null || fault.container === undefined ? null : { container: fault.container, text: log },
    notes,
    relaunchable: fault.relaunchable,
  });
}

async function readEvents(client: ClusterClient, pod: Pod, notes: string[]) {
  try {
    return await client.listEvents({
      uid: pod.metadata.uid,
      signal: AbortSignal.timeout(LOOK_UP_MS),
      retryForMs: 0,
    });
  } catch (error) {
    notes.push(
      isClusterError(error, 'forbidden') ? 'no permission to read events' : 'events could not be read',
    );
    return [];
  }
}

async function readLog(
  client: ClusterClient,
  facts: { readonly pod: Pod; readonly container: string | undefined; readonly notes: string[] },
): Promise<string | null> {
  const { pod, container, notes } = facts;
  const hasRun = [...pod.status.initContainerStatuses, ...pod.status.containerStatuses].some(
    ({ name, state, lastState }) =>
      name === container &&
      (state.terminated != null || state.running != null || lastState.terminated != null),
  );
  if (container === undefined || !hasRun) return null;
  try {
    const options = {
      container,
      tailLines: LOG_LINES,
      limitBytes: LOG_BYTES,
      signal: AbortSignal.timeout(LOOK_UP_MS),
      retryForMs: 0,
    };
    const text = await client.readPodLog(pod.metadata.name, options);
    if (text === null) notes.push(`the log of container ${container} is not available`);
    return text === null ? null : toLogTail(text);
  } catch (error) {
    notes.push(
      isClusterError(error, 'forbidden')
        ? 'no permission to read logs'
        : `the log of container ${container} could not be read`,
    );
    return null;
  }
}

/** A mesh that redirects traffic before its proxy runs breaks a clone in an init container. */
function findMeshHint(pod: Pod, log: string | null): string[] {
  const hasMesh = pod.spec.initContainers.some(({ name }) =>
    /^(istio-(init|validation)|linkerd-init)$/.test(name),
  );
  const isRefused = /Connection refused|Could not resolve host/.test(log ?? '');
  return hasMesh && isRefused
    ? [
        'A service mesh redirects traffic before its proxy runs: use workspace_prep: host, or native sidecars.',
      ]
    : [];
}
