/** The launch of one Pod: create, wait, and on any failure collect the evidence, clean up, throw. Only sequences. */
import { ERRORS, isSandboxError, toCanceledError, toErrorMessage } from '@omnigent/protocol';
import type { Clock, Stage } from '@omnigent/protocol';
import { buildDiagnosis } from '../../port/diagnosis.ts';
import { LaunchError } from '../../port/errors.ts';
import type { StartHostOptions } from '../../port/launcher.ts';
import type { ClusterClient } from '../api/cluster-client.ts';
import { isClusterError } from '../api/cluster-error.ts';
import type { Pod } from '../api/objects/pod.ts';
import { deleteSandbox } from '../cleanup/delete-sandbox.ts';
import type { KubernetesConfig } from '../config/parse-config.ts';
import type { PodManifest } from '../manifests/pod.ts';
import type { SecretManifest } from '../manifests/token-secret.ts';
import { toBudgetMs } from '../wait/stage-clock.ts';
import { waitForHost } from '../wait/wait-for-host.ts';
import { createObjects } from './create-objects.ts';
import { diagnoseFailure } from './diagnose.ts';

export interface StartHostContext {
  readonly client: ClusterClient;
  readonly config: KubernetesConfig;
  readonly clock: Clock;
}

export interface LaunchManifests {
  readonly pod: PodManifest;
  readonly secret: SecretManifest;
}

/** Cleanup has a deadline of its own: that of the launch may have passed. */
const CLEANUP_MS = 60_000;
const EVENTS_MS = 5_000;

/**
 * Resolves when the host container runs.
 *
 * @throws LaunchError with the diagnosis; SandboxError `canceled`. What this launch created is deleted again.
 */
export async function startHost(
  context: StartHostContext,
  manifests: LaunchManifests,
  options: StartHostOptions,
): Promise<Pod> {
  const { client, config, clock } = context;
  const { signal } = options;
  const stages: Stage[] = ['provisioning'];
  const onStage = (stage: Stage, message?: string) => {
    stages.push(stage);
    options.onStage(stage, message);
  };
  const progress: { created?: Pod; owner?: Promise<unknown> } = {};
  try {
    const pod = await createObjects({
      client,
      clock,
      signal,
      ...manifests,
      quotaBudgetMs: toBudgetMs(config, 'scheduling'),
      onWaiting: (message) => onStage('scheduling', message),
    });
    progress.created = pod;
    progress.owner = adoptSecret(client, { pod, secretName: manifests.secret.metadata.name });
    const listEvents = async () =>
      await client
        .listEvents({ uid: pod.metadata.uid, signal: AbortSignal.timeout(EVENTS_MS) })
        .catch(() => []);
    const result = await waitForHost({
      watch: client.podWatch,
      pod,
      config,
      clock,
      signal,
      onStage,
      listEvents,
    });
    if (result.state === 'running') return result.pod;
    throw new LaunchError(
      await diagnoseFailure(client, {
        pod: result.pod,
        fault: result.fault,
        stage: stages.at(-1) ?? 'scheduling',
      }),
    );
  } catch (error) {
    await cleanUp(context, { manifests, created: progress.created, error });
    throw signal.aborted
      ? toCanceledError(signal, 'the launch')
      : toLaunchError(error, {
          stage: stages.at(-1) ?? 'provisioning',
          podName: manifests.pod.metadata.name,
          client,
        });
  } finally {
    await progress.owner;
  }
}

/** Kubernetes' own garbage collection then removes the Secret when the Pod goes by any other hand. Best effort. */
async function adoptSecret(
  client: ClusterClient,
  { pod, secretName }: { readonly pod: Pod; readonly secretName: string },
): Promise<void> {
  const owner = { name: pod.metadata.name, uid: pod.metadata.uid };
  await client
    .setSecretOwner(secretName, owner, { signal: AbortSignal.timeout(CLEANUP_MS) })
    .catch(() => undefined);
}

/** Deletes what this launch created; never masks the original error, never touches what is not its own. */
async function cleanUp(
  { client, clock }: StartHostContext,
  facts: { readonly manifests: LaunchManifests; readonly created: Pod | undefined; readonly error: unknown },
): Promise<void> {
  const { manifests, created, error } = facts;
  // A name that someone else holds: nothing of it is ours.
  if (created === undefined && isClusterError(error, 'already_exists')) return;
  const signal = AbortSignal.timeout(CLEANUP_MS);
  const uid = created === undefined ? {} : { uid: created.metadata.uid };
  await deleteSandbox({
    client,
    clock,
    signal,
    podName: manifests.pod.metadata.name,
    isWaiting: false,
    ...uid,
  }).catch(() => undefined);
}

function toLaunchError(
  error: unknown,
  facts: { readonly stage: Stage; readonly podName: string; readonly client: ClusterClient },
): LaunchError {
  if (error instanceof LaunchError) return error;
  const code = isSandboxError(error) ? error.code : 'launch_failed';
  const diagnosis = buildDiagnosis({
    code,
    message: toErrorMessage(error),
    advice: ERRORS[code].advice,
    stage: facts.stage,
    provider_id: facts.podName,
  });
  return new LaunchError(diagnosis, { cause: error });
}
