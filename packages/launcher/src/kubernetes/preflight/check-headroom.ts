/** Whether quotas and limit ranges leave room for one sandbox. */
import type { Finding } from '@omnigent/protocol';
import { isClusterError } from '../api/cluster-error.ts';
import type { LimitRange, ResourceQuota } from '../api/objects/preflight.ts';
import type { KubernetesConfig } from '../config/parse-config.ts';
import { parseQuantity } from '../config/quantity.ts';
import type { Check } from './check.ts';
import { buildOk, buildProblem, buildUnknown } from './finding.ts';

/** What one sandbox adds to a quota, by the quota's own names. */
function toUsage({ resources }: KubernetesConfig): Record<string, string> {
  const { requests, limits } = resources;
  return {
    pods: '1',
    'count/pods': '1',
    secrets: '1',
    'count/secrets': '1',
    ...Object.fromEntries(
      Object.entries(requests).flatMap(([name, amount]) => [
        [name, amount],
        [`requests.${name}`, amount],
      ]),
    ),
    ...Object.fromEntries(Object.entries(limits).map(([name, amount]) => [`limits.${name}`, amount])),
  };
}

function findFullQuotas(
  quotas: readonly ResourceQuota[],
  usage: Readonly<Record<string, string>>,
): Finding[] {
  return quotas.flatMap(({ metadata, status }) =>
    Object.entries(status.hard).flatMap(([name, hard]): Finding[] => {
      const [asked, used] = [usage[name], status.used[name] ?? '0'];
      const isFull = asked !== undefined && toNumber(used) + toNumber(asked) > toNumber(hard);
      if (!isFull) return [];
      const message = `quota ${metadata.name}: one sandbox asks for ${name}=${asked}, used ${used}, limited ${hard}`;
      return [buildProblem('quota', message, 'quota_exceeded')];
    }),
  );
}

function findLimitBreaches(ranges: readonly LimitRange[], { resources }: KubernetesConfig): Finding[] {
  const { requests, limits } = resources;
  const containerLimits = ranges.flatMap(({ metadata, spec }) =>
    spec.limits
      .filter(({ type }) => type === 'Container')
      .map((limit) => ({ name: metadata.name, ...limit })),
  );
  return containerLimits.flatMap(({ name, min, max }): Finding[] => {
    const low = Object.entries(min).find(
      ([key, amount]) => requests[key] !== undefined && toNumber(requests[key]) < toNumber(amount),
    );
    const high = Object.entries(max).find(([key, amount]) => toNumber(limits[key] ?? '0') > toNumber(amount));
    const found = low ?? high;
    if (found === undefined) return [];
    const message = `LimitRange ${name}: container ${low === undefined ? 'maximum' : 'minimum'} of ${found[0]} is ${found[1]}`;
    return [buildProblem('limit_range', message, 'limit_range')];
  });
}

const toNumber = (quantity: string) => parseQuantity(quantity) ?? 0;

/** Without the right to read quotas the dry run has to do: it asks for the room of one sandbox. */
export const checkHeadroom: Check = async ({ client, config, isAdmitted, signal }) => {
  try {
    const [quotas, ranges] = await Promise.all([
      client.listResourceQuotas({ signal }),
      client.listLimitRanges({ signal }),
    ]);
    const findings = [...findFullQuotas(quotas, toUsage(config)), ...findLimitBreaches(ranges, config)];
    if (findings.length > 0) return findings;
    return [buildOk('headroom', 'quotas and limit ranges leave room for a sandbox')];
  } catch (error) {
    if (!isClusterError(error, 'forbidden')) throw error;
    if (isAdmitted) return [buildOk('headroom', 'there is room for a sandbox now')];
    return [buildUnknown('headroom', 'quotas may not be read')];
  }
};
