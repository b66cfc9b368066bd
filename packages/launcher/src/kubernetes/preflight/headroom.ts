/** Whether quotas and limit ranges leave room for one sandbox. */
import { ERRORS } from '@omnigent/protocol';
import type { Finding } from '@omnigent/protocol';
import type { ClusterClient } from '../api/cluster-client.ts';
import type { KubernetesConfig } from '../config/parse-config.ts';
import { parseQuantity } from '../config/quantity.ts';

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

export async function checkHeadroom(
  client: ClusterClient,
  { signal, config }: { readonly signal: AbortSignal; readonly config: KubernetesConfig },
): Promise<Finding[]> {
  const [quotas, ranges] = await Promise.all([
    client.listResourceQuotas({ signal }),
    client.listLimitRanges({ signal }),
  ]);
  const usage = toUsage(config);
  const full = quotas.flatMap(({ metadata, status }) =>
    Object.entries(status.hard).flatMap(([name, hard]): Finding[] => {
      const [asked, used] = [usage[name], status.used[name] ?? '0'];
      const isFull =
        asked !== undefined &&
        (parseQuantity(used) ?? 0) + (parseQuantity(asked) ?? 0) > (parseQuantity(hard) ?? 0);
      if (!isFull) return [];
      return [
        {
          code: 'quota',
          severity: 'error',
          message: `quota ${metadata.name}: one sandbox asks for ${name}=${asked}, used ${used}, limited ${hard}`,
          advice: ERRORS.quota_exceeded.advice,
        },
      ];
    }),
  );
  const outside = ranges.flatMap(({ metadata, spec }) =>
    spec.limits
      .filter(({ type }) => type === 'Container')
      .flatMap(({ min, max }): Finding[] => {
        const requests = config.resources.requests;
        const low = Object.entries(min).find(
          ([name, amount]) =>
            requests[name] !== undefined &&
            (parseQuantity(requests[name]) ?? 0) < (parseQuantity(amount) ?? 0),
        );
        const high = Object.entries(max).find(
          ([name, amount]) =>
            (parseQuantity(config.resources.limits[name] ?? '0') ?? 0) > (parseQuantity(amount) ?? 0),
        );
        const found = low ?? high;
        if (found === undefined) return [];
        return [
          {
            code: 'limit_range',
            severity: 'error',
            message: `LimitRange ${metadata.name}: container ${low === undefined ? 'maximum' : 'minimum'} of ${found[0]} is ${found[1]}`,
            advice: ERRORS.limit_range.advice,
          },
        ];
      }),
  );
  const findings = [...full, ...outside];
  return findings.length === 0
    ? [
        {
          code: 'headroom',
          severity: 'ok',
          message: 'quotas and limit ranges leave room for a sandbox',
          advice: null,
        },
      ]
    : findings;
}
