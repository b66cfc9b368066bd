/** The ServiceAccount that sandboxes run as. */
import type { Finding } from '@omnigent/protocol';
import { isClusterError } from '../api/cluster-error.ts';
import type { Check, CheckContext } from './check.ts';
import { buildOk, buildProblem, buildUnknown } from './finding.ts';

async function readAccount({ client, config, isAdmitted, signal }: CheckContext): Promise<Finding> {
  const what = `ServiceAccount ${config.service_account}`;
  try {
    if ((await client.readServiceAccount(config.service_account, { signal })) !== null)
      return buildOk('service_account', `${what} exists`);
    const problem = `${what} does not exist in namespace ${client.namespace}`;
    return buildProblem('service_account', problem, 'service_account_not_found');
  } catch (error) {
    if (!isClusterError(error, 'forbidden')) throw error;
    // Admission looks it up for every Pod.
    if (isAdmitted) return buildOk('service_account', `${what} exists`);
    return buildUnknown('service_account', `${what} may not be read`);
  }
}

export const checkServiceAccount: Check = async (context) => [await readAccount(context)];
