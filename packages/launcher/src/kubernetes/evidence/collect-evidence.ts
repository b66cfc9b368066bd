/** Everything that explains a failure, gathered before anything is deleted. Each look-up is best effort. */
import type { Diagnosis, Stage, StageRecord } from '@omnigent/protocol';
import { ERRORS, toErrorMessage } from '@omnigent/protocol';
import { buildDiagnosis } from '../../port/diagnosis.ts';
import type { ClusterClient } from '../api/cluster-client.ts';
import { isClusterError } from '../api/cluster-error.ts';
import type { ClusterEvent } from '../api/objects/event.ts';
import type { Pod } from '../api/objects/pod.ts';
import type { Failure } from '../status/failure.ts';
import { buildContainerEvidence } from './container-evidence.ts';
import { buildEventEvidence } from './event-evidence.ts';
import { toLogTail } from './log-tail.ts';
import { refineCloneFailure } from './refine-clone.ts';
import { findMeshAdvice } from './mesh-advice.ts';

/** Evidence must not hold the report up. */
const LOOK_UP_MS = 5_000;
const LOG_LINES = 20;
const LOG_BYTES = 32 * 1024;

export interface EvidenceRequest {
  readonly pod: Pod;
  readonly failure: Failure;
  readonly stage: Stage;
  readonly stages?: readonly StageRecord[];
  /** Texts that must not appear in a log, such as the launch token. */
  readonly secrets?: readonly string[];
}

type EvidenceClient = Pick<ClusterClient, 'namespace' | 'listEvents' | 'readPodLog'>;

interface LookUp<T> {
  readonly found: T;
  /** Why nothing was found; null when it was looked up. */
  readonly note: string | null;
}

function toNote(error: unknown, what: string): string {
  if (isClusterError(error, 'forbidden')) return `no permission to read ${what}`;
  return `${what} could not be read: ${toErrorMessage(error)}`;
}

async function readEvents(client: EvidenceClient, pod: Pod): Promise<LookUp<readonly ClusterEvent[]>> {
  try {
    const signal = AbortSignal.timeout(LOOK_UP_MS);
    return { found: await client.listEvents({ uid: pod.metadata.uid, signal, retryForMs: 0 }), note: null };
  } catch (error) {
    return { found: [], note: toNote(error, 'events') };
  }
}

function hasRun(pod: Pod, container: string): boolean {
  return [...pod.status.initContainerStatuses, ...pod.status.containerStatuses].some(
    ({ name, state, lastState }) =>
      name === container && Boolean(state.terminated ?? state.running ?? lastState.terminated),
  );
}

async function readLog(
  client: EvidenceClient,
  { pod, failure: { container }, secrets = [] }: EvidenceRequest,
): Promise<LookUp<string | null>> {
  if (container === null || !hasRun(pod, container)) return { found: null, note: null };
  try {
    const text = await client.readPodLog(pod.metadata.name, {
      container,
      tailLines: LOG_LINES,
      limitBytes: LOG_BYTES,
      signal: AbortSignal.timeout(LOOK_UP_MS),
      retryForMs: 0,
    });
    if (text === null) return { found: null, note: `the log of container ${container} is empty or gone` };
    return { found: toLogTail(text, secrets), note: null };
  } catch (error) {
    return { found: null, note: toNote(error, `the log of container ${container}`) };
  }
}

/** The diagnosis of a Pod that failed. Never rejects: what cannot be looked up is a note. */
export async function collectEvidence(client: EvidenceClient, request: EvidenceRequest): Promise<Diagnosis> {
  const { pod, failure, stage, stages = [] } = request;
  const [events, log] = await Promise.all([readEvents(client, pod), readLog(client, request)]);
  const { code, message, container, isRelaunchable } = refineCloneFailure(failure, log.found);
  const describe = `See also: kubectl describe pod ${pod.metadata.name} -n ${client.namespace}`;
  return buildDiagnosis({
    code,
    message,
    advice: [ERRORS[code].advice, ...findMeshAdvice(pod, log.found ?? ''), describe].join(' '),
    stage,
    stages: [...stages],
    provider_id: pod.metadata.name,
    containers: buildContainerEvidence(pod, container),
    events: buildEventEvidence(events.found, pod),
    log: log.found === null || container === null ? null : { container, text: log.found },
    notes: [events.note, log.note].filter((note) => note !== null),
    relaunchable: isRelaunchable,
  });
}
