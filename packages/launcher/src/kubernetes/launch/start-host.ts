/** The launch of one Pod: create, wait, and on any failure gather the evidence, clean up, throw. Only sequences. */
import { toCanceledError } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import { LaunchError } from '../../port/errors.ts';
import type { StartHostOptions } from '../../port/launcher.ts';
import type { ClusterClient } from '../api/cluster-client.ts';
import type { Pod } from '../api/objects/pod.ts';
import { removeCreated } from '../cleanup/remove-created.ts';
import type { KubernetesConfig } from '../config/parse-config.ts';
import { collectEvidence } from '../evidence/collect-evidence.ts';
import { resolveBudgets } from '../wait/budgets.ts';
import { waitForHost } from '../wait/wait-for-host.ts';
import { CreatedObjects } from './created-objects.ts';
import type { LaunchManifests } from './launch-manifests.ts';
import { createLaunchTrail } from './launch-trail.ts';
import type { LaunchTrail } from './launch-trail.ts';
import { toLaunchError } from './to-launch-error.ts';

export interface StartHostContext {
  readonly client: ClusterClient;
  readonly config: Pick<KubernetesConfig, 'pod_ready_timeout_s' | 'stage_timeouts'>;
  readonly clock: Clock;
}

export interface Launch {
  readonly manifests: LaunchManifests;
  /** Texts that must not appear in the evidence. */
  readonly secrets: readonly string[];
}

interface Attempt extends Launch {
  readonly created: CreatedObjects;
  readonly trail: LaunchTrail;
  readonly options: StartHostOptions;
}

/** Creates and waits. @throws LaunchError with the evidence when the host will not run. */
async function launch({ client, config, clock }: StartHostContext, attempt: Attempt): Promise<Pod> {
  const { created, trail, options } = attempt;
  const { signal, connected } = options;
  const pod = await created.create();
  created.adoptSecret(pod);
  trail.enter('scheduling');
  const outcome = await waitForHost(pod, {
    client,
    clock,
    signal,
    budgets: resolveBudgets(config),
    onProgress: (stage, detail) => trail.enter(stage, detail),
    ...(connected === undefined ? {} : { connected }),
  });
  if (outcome.type === 'running') {
    // A fast node passes through these before anybody sees them.
    trail.enter('pulling');
    trail.enter('starting');
    return outcome.pod;
  }
  const { failure, stage } = outcome;
  trail.enter(stage);
  const stages = trail.records;
  const { secrets } = attempt;
  throw new LaunchError(await collectEvidence(client, { pod: outcome.pod, failure, stage, stages, secrets }));
}

/**
 * Resolves with the Pod whose host runs. At most three writes: Secret, Pod, owner of the Secret.
 *
 * @throws LaunchError with the diagnosis; SandboxError `canceled` when the signal aborts. What this launch created is
 * deleted before it rejects, on a deadline of its own.
 */
export async function startHost(
  context: StartHostContext,
  { manifests, secrets }: Launch,
  options: StartHostOptions,
): Promise<Pod> {
  const { client, clock, config } = context;
  const { signal, onStage } = options;
  const trail = createLaunchTrail(clock, onStage);
  const created = new CreatedObjects(manifests, {
    client,
    clock,
    signal,
    budgetMs: resolveBudgets(config).scheduling.ms,
    onWaiting: (message) => trail.enter('scheduling', message),
  });
  try {
    return await launch(context, { manifests, secrets, created, trail, options });
  } catch (error) {
    await removeCreated({ client, clock, manifests, created });
    if (signal.aborted) throw toCanceledError(signal, 'the launch');
    throw toLaunchError(error, { trail, podName: manifests.pod.metadata.name });
  }
}
