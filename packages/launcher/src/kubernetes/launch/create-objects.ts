/** Creates Secret and Pod; waits for room when a quota is used up. */
import type { Clock } from '@omnigent/protocol';
import type { ClusterClient } from '../api/cluster-client.ts';
import { isClusterError } from '../api/cluster-error.ts';
import type { Pod } from '../api/objects/pod.ts';
import type { PodManifest } from '../manifests/pod.ts';
import type { SecretManifest } from '../manifests/token-secret.ts';

export interface CreateOptions {
  readonly client: ClusterClient;
  readonly secret: SecretManifest;
  readonly pod: PodManifest;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long room in a quota is waited for. */
  readonly quotaBudgetMs: number;
  readonly onWaiting: (message: string) => void;
}

/** A quota raises no event that we may watch, so room is asked for again at this pace. */
const QUOTA_POLL_MS = 2_000;

/** The created Pod. What was created when it throws is for the caller to remove. */
export async function createObjects(options: CreateOptions): Promise<Pod> {
  const { client, secret, pod, signal } = options;
  await withRoom(options, () => client.createSecret(secret, { signal }));
  return await withRoom(options, () => client.createPod(pod, { signal }));
}

async function withRoom<Result>(options: CreateOptions, create: () => Promise<Result>): Promise<Result> {
  const { clock, signal, quotaBudgetMs, onWaiting } = options;
  const deadline = clock.monotonicMs() + quotaBudgetMs;
  for (;;) {
    try {
      return await create();
    } catch (error) {
      if (!isClusterError(error, 'quota_exceeded') || clock.monotonicMs() + QUOTA_POLL_MS > deadline)
        throw error;
      onWaiting(`${error.message}; waiting for room`);
      await clock.sleep(QUOTA_POLL_MS, { signal });
    }
  }
}
