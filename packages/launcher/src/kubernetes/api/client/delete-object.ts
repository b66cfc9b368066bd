/** Deleting one object, as data of what came of it. */
import type { DeleteOptions, DeleteOutcome } from '../cluster-client.ts';
import { isClusterError } from '../cluster-error.ts';
import { buildTarget } from './call.ts';
import type { ClientContext } from './call.ts';
import { buildNamespacedPath } from './paths.ts';

interface ObjectName {
  readonly resource: 'pods' | 'secrets';
  readonly name: string;
}

/** Deletes an object with its dependants in the background. */
export async function deleteObject(
  context: ClientContext,
  { resource, name }: ObjectName,
  options: DeleteOptions,
): Promise<DeleteOutcome> {
  const { uid, gracePeriodSeconds } = options;
  const body = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: 'Background',
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(uid === undefined ? {} : { preconditions: { uid } }),
  };
  const target = buildTarget(context, 'delete', { resource, name });
  const path = buildNamespacedPath(context.namespace, resource, name);
  try {
    await context.requester.text({ target, method: 'DELETE', path, body }, options);
    return 'accepted';
  } catch (error) {
    if (isClusterError(error, 'not_found')) return 'gone';
    if (uid !== undefined && isClusterError(error, 'conflict')) return 'replaced';
    throw error;
  }
}
