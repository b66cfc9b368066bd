/** Removes what a launch that failed has created, and nothing else. */
import { LABELS } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import type { ClusterClient } from '../api/cluster-client.ts';
import type { CreatedObjects } from '../launch/created-objects.ts';
import type { LaunchManifests } from '../launch/launch-manifests.ts';

export interface RemoveCreatedOptions {
  readonly client: ClusterClient;
  readonly clock: Clock;
  readonly manifests: LaunchManifests;
  readonly created: Pick<CreatedObjects, 'secret' | 'podState' | 'pod'>;
}

/** Cleanup has a deadline of its own: that of the launch may have passed, and its signal may have aborted. */
const CLEANUP_MS = 45_000;

/** The uid of the Pod that this launch created; null when there is none. */
async function findOwnUid(
  { client, manifests, created }: RemoveCreatedOptions,
  signal: AbortSignal,
): Promise<string | null> {
  if (created.pod !== null) return created.pod.metadata.uid;
  if (created.podState === 'absent') return null;
  const found = await client.getPod(manifests.pod.metadata.name, { signal });
  const isOurs = found?.metadata.labels[LABELS.hostId] === manifests.pod.metadata.labels?.[LABELS.hostId];
  return found !== null && isOurs ? found.metadata.uid : null;
}

async function removePod(options: RemoveCreatedOptions, signal: AbortSignal): Promise<void> {
  const uid = await findOwnUid(options, signal);
  if (uid !== null) await options.client.deletePod(options.manifests.pod.metadata.name, { uid, signal });
}

async function removeSecret(
  { client, manifests, created }: RemoveCreatedOptions,
  signal: AbortSignal,
): Promise<void> {
  if (created.secret === 'absent') return;
  await client.deleteSecret(manifests.secret.metadata.name, { signal });
}

/** Never rejects: the failure of the launch must not be masked, and the sweep finds what stays. */
export async function removeCreated(options: RemoveCreatedOptions): Promise<void> {
  const over = new AbortController();
  const late = options.clock.sleep(CLEANUP_MS, { signal: over.signal, unref: true });
  const deadline = new AbortController();
  late.then(
    () => deadline.abort(),
    () => undefined,
  );
  await Promise.allSettled([removePod(options, deadline.signal), removeSecret(options, deadline.signal)]);
  over.abort();
}
