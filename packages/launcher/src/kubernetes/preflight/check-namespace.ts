/** The namespace of the sandboxes. */
import type { Finding } from '@omnigent/protocol';
import { isClusterError } from '../api/cluster-error.ts';
import type { Check, CheckContext } from './check.ts';
import { buildOk, buildProblem, buildUnknown } from './finding.ts';

async function readNamespace({ client, isAdmitted, signal }: CheckContext): Promise<Finding> {
  const what = `namespace ${client.namespace}`;
  try {
    const namespace = await client.readNamespace({ signal });
    if (namespace === null) return buildProblem('namespace', `${what} does not exist`, 'namespace_not_found');
    if (namespace.status?.phase === 'Terminating')
      return buildProblem('namespace', `${what} is being deleted`, 'namespace_terminating');
    return buildOk('namespace', `${what} exists`);
  } catch (error) {
    if (!isClusterError(error, 'forbidden')) throw error;
    if (isAdmitted) return buildOk('namespace', `${what} exists`);
    return buildUnknown('namespace', `${what} may not be read`);
  }
}

export const checkNamespace: Check = async (context) => [await readNamespace(context)];
