/** Each right that the launcher needs, asked for one by one. */
import type { Finding } from '@omnigent/protocol';
import { RIGHTS } from '../rights/rights.ts';
import type { Check } from './check.ts';
import { buildOk, buildProblem } from './finding.ts';

const QUESTIONS = RIGHTS.flatMap(({ resource, verbs }) => verbs.map((verb) => ({ verb, resource })));

export const checkRights: Check = async ({ client, signal }) =>
  await Promise.all(
    QUESTIONS.map(async ({ verb, resource }): Promise<Finding> => {
      const { allowed } = await client.checkAccess({ verb, resource }, { signal });
      const what = `${verb} ${resource} in namespace ${client.namespace}`;
      return allowed
        ? buildOk('right', what)
        : buildProblem('right', `missing right: ${what}`, 'cluster_forbidden');
    }),
  );
