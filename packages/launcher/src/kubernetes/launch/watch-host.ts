/** Follows a Pod whose host runs and has yet to connect, until it dies or goes. */
import { LABELS } from '@omnigent/protocol';
import type { Clock, Diagnosis } from '@omnigent/protocol';
import { buildDiagnosis } from '../../port/diagnosis.ts';
import type { ClusterClient } from '../api/cluster-client.ts';
import type { Pod } from '../api/objects/pod.ts';
import type { PodObservation } from '../api/pod-watch.ts';
import { collectEvidence } from '../evidence/collect-evidence.ts';
import { HOST_CONTAINER } from '../manifests/container-names.ts';
import { diagnoseDeletion } from '../status/diagnose-pod-end.ts';
import { buildFailure } from '../status/failure.ts';
import type { Failure } from '../status/failure.ts';
import { findHostStatus } from '../status/find-containers.ts';
import { openPodInbox } from '../wait/pod-inbox.ts';
import { findFailure } from './inspect-pod.ts';

export interface WatchHostOptions {
  readonly client: ClusterClient;
  readonly podName: string;
  /** The Pod must carry this host id; a namesake is not ours. */
  readonly hostId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A Pod that runs for hours is looked at less often than one that starts. */
const SILENCE_CHECK_MS = 120_000;

interface Ending {
  readonly pod: Pod | null;
  readonly failure: Failure;
}

const GONE: Failure = buildFailure('pod_deleted', 'the Pod does not exist any more');

/** A host that came back by itself (a node that restarted) has lost its programs, and its token is stale. */
function findReplacement(pod: Pod, firstId: string | undefined): Failure | null {
  const id = findHostStatus(pod)?.containerID;
  if (firstId === undefined || id === undefined || id === firstId) return null;
  return buildFailure('host_lost', 'the host was started again by the node, without its programs', {
    container: HOST_CONTAINER,
  });
}

class HostWatch {
  readonly #hostId: string;
  #containerId: string | undefined;

  constructor(hostId: string) {
    this.#hostId = hostId;
  }

  /** How it ended; null while it goes on. */
  observe(observation: PodObservation): Ending | null {
    if (observation.type === 'trouble') return null;
    if (observation.type === 'absent') return { pod: null, failure: GONE };
    const pod = observation.type === 'deleted' ? observation.last : observation.pod;
    if (pod.metadata.labels[LABELS.hostId] !== this.#hostId) return { pod: null, failure: GONE };
    if (observation.type === 'deleted')
      return { pod, failure: findFailure(pod, 'before') ?? diagnoseDeletion(pod) };
    const failure = findFailure(pod, 'before') ?? findReplacement(pod, this.#containerId);
    this.#containerId ??= findHostStatus(pod)?.containerID;
    return failure === null ? null : { pod, failure };
  }
}

async function toDiagnosis(
  { client, podName }: WatchHostOptions,
  { pod, failure }: Ending,
): Promise<Diagnosis> {
  const { code, message } = failure;
  if (pod === null) return buildDiagnosis({ code, message, stage: 'connecting', provider_id: podName });
  return await collectEvidence(client, { pod, failure, stage: 'connecting' });
}

/** Resolves with the diagnosis of the end; rejects only when the signal aborts. */
export async function watchHost(options: WatchHostOptions): Promise<Diagnosis> {
  const { client, podName: name, clock, signal } = options;
  using inbox = openPodInbox(client.podWatch, { name, lookUp: true, silenceCheckMs: SILENCE_CHECK_MS });
  const watch = new HostWatch(options.hostId);
  for (;;) {
    for (const observation of inbox.take()) {
      const ending = watch.observe(observation);
      if (ending !== null) return await toDiagnosis(options, ending);
    }
    await inbox.wait({ clock, signal });
  }
}
