/** What the parts of the client share: a requester and the namespace it is for. */
import type { ClusterTarget, ClusterVerb } from '../cluster-error.ts';
import { isClusterError } from '../cluster-error.ts';
import type { Requester } from '../request/requester.ts';

export interface ClientContext {
  readonly requester: Requester;
  readonly namespace: string;
}

/** The target of a request in the client's namespace. */
export function buildTarget(
  { namespace }: Pick<ClientContext, 'namespace'>,
  verb: ClusterVerb,
  { resource, name = null }: { readonly resource: string; readonly name?: string | null },
): ClusterTarget {
  return { verb, resource, namespace, name };
}

/** The answer, or null when the object does not exist. */
export async function nullWhenMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isClusterError(error, 'not_found')) return null;
    throw error;
  }
}
