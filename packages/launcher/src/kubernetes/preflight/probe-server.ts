/**
 * Whether a sandbox reaches the server: a real host is started with a token that no server knows. A server that refuses
 * it has been reached, by the same program, through the same proxy and with the same roots as any sandbox's.
 */
import type { Clock, Diagnosis, Finding } from '@omnigent/protocol';
import { ERRORS, isErrorCode, toErrorMessage } from '@omnigent/protocol';
import { LaunchError } from '../../port/errors.ts';
import type { ClusterClient } from '../api/cluster-client.ts';
import { terminateSandbox } from '../cleanup/terminate-sandbox.ts';
import type { KubernetesConfig } from '../config/parse-config.ts';
import { toLogTail } from '../evidence/log-tail.ts';
import type { LaunchManifests } from '../launch/launch-manifests.ts';
import { startHost } from '../launch/start-host.ts';
import { watchHost } from '../launch/watch-host.ts';
import { HOST_CONTAINER } from '../manifests/container-names.ts';
import { buildOk } from './finding.ts';

export interface ProbeOptions {
  readonly client: ClusterClient;
  readonly config: KubernetesConfig;
  readonly clock: Clock;
  readonly manifests: LaunchManifests;
  readonly hostId: string;
  readonly serverUrl: string;
  readonly signal: AbortSignal;
}

/** What the host exits with when the server refuses its token. */
const REFUSED = 77;
const ANSWER_MS = 20_000;
const CLEANUP_MS = 60_000;

function toDiagnosisFinding({ code, message, advice, log }: Diagnosis): Finding {
  const text = log === null ? message : `${message}; its log: ${log.text}`;
  return {
    code: 'probe',
    severity: 'error',
    message: text,
    advice: isErrorCode(code) ? ERRORS[code].advice : advice,
  };
}

function judge(diagnosis: Diagnosis, serverUrl: string): Finding {
  const isRefused = diagnosis.containers.some((container) => container.exit_code === REFUSED);
  return isRefused
    ? buildOk('probe', `a sandbox reaches the server at ${serverUrl}`)
    : toDiagnosisFinding(diagnosis);
}

/** A host that goes on trying has not reached anybody. */
async function describeSilence({ client, manifests, serverUrl, signal }: ProbeOptions): Promise<Finding> {
  const options = { container: HOST_CONTAINER, tailLines: 20, limitBytes: 32_768, signal };
  const log = await client.readPodLog(manifests.pod.metadata.name, options).catch(() => null);
  const text = log === null ? '' : `; its log: ${toLogTail(log)}`;
  return {
    code: 'probe',
    severity: 'error',
    message: `the host of a sandbox got no answer from ${serverUrl} within ${ANSWER_MS / 1_000} s${text}`,
    advice: 'Check server.url, NetworkPolicies, proxy and ca_bundle.',
  };
}

async function observeHost(options: ProbeOptions): Promise<Finding> {
  const { client, manifests, hostId, clock, signal, serverUrl } = options;
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  const podName = manifests.pod.metadata.name;
  const ended = watchHost({ client, podName, hostId, clock, signal: both }).then((diagnosis) =>
    judge(diagnosis, serverUrl),
  );
  const silent = clock.sleep(ANSWER_MS, { signal: both }).then(() => describeSilence(options));
  try {
    return await Promise.race([ended, silent]);
  } finally {
    over.abort();
    await Promise.allSettled([ended, silent]);
  }
}

/** Starts the probe, waits for what comes of it, and removes it. */
export async function probeServer(options: ProbeOptions): Promise<Finding[]> {
  const { client, config, clock, manifests, signal, serverUrl } = options;
  try {
    await startHost(
      { client, config, clock },
      { manifests, secrets: [] },
      { signal, onStage: () => undefined },
    );
    return [await observeHost(options)];
  } catch (error) {
    if (error instanceof LaunchError) return [judge(error.diagnosis, serverUrl)];
    throw error;
  } finally {
    const podName = manifests.pod.metadata.name;
    await terminateSandbox({ client, podName, clock, signal: AbortSignal.timeout(CLEANUP_MS) }).catch(
      (error: unknown) => toErrorMessage(error),
    );
  }
}
