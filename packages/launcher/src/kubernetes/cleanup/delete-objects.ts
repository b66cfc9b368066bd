/** Deletes Pod and Secret of a sandbox: both are attempted whatever the other answers; what is gone is success. */
import { toErrorMessage } from '@omnigent/protocol';
import type { ClusterClient, DeleteOutcome } from '../api/cluster-client.ts';
import { buildTokenSecretName } from '../names/object-names.ts';

export interface DeleteObjectsOptions {
  readonly client: Pick<ClusterClient, 'deletePod' | 'deleteSecret'>;
  readonly podName: string;
  readonly signal: AbortSignal;
  /** Only the Pod of this uid; any when absent. */
  readonly uid?: string;
}

/** What came of the Pod. @throws the refusal of either; of both as an AggregateError. */
export async function deleteObjects(options: DeleteObjectsOptions): Promise<DeleteOutcome> {
  const { client, podName, signal, uid } = options;
  const [pod, secret] = await Promise.allSettled([
    client.deletePod(podName, { signal, ...(uid === undefined ? {} : { uid }) }),
    client.deleteSecret(buildTokenSecretName(podName), { signal }),
  ]);
  if (pod.status === 'fulfilled' && secret.status === 'fulfilled') return pod.value;
  const errors = [pod, secret].flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  );
  if (errors.length === 1) throw errors[0];
  throw new AggregateError(errors, errors.map(toErrorMessage).join('; '));
}
