/** Requests and limits with their defaults; combinations that the API server would refuse at the first launch. */
import { SandboxError } from '@omnigent/protocol';
import { parseQuantity } from './quantity.ts';
import type { KubernetesSection } from './schema.ts';

type Amounts = Readonly<Record<string, string>>;

export interface Resources {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

const DEFAULTS: Resources = {
  requests: { cpu: '500m', memory: '1Gi' },
  limits: { cpu: '2', memory: '4Gi' },
};

const toNumber = (quantity: string) => parseQuantity(quantity) ?? 0;
/** Devices and huge pages cannot be overcommitted. */
const isExact = (name: string) => name.includes('/') || name.startsWith('hugepages-');

/** An omitted field keeps its default. @throws SandboxError `invalid_config` for a request that its limit does not allow. */
export function resolveResources(section: KubernetesSection['resources']): Resources {
  const resources = {
    requests: { ...DEFAULTS.requests, ...section?.requests },
    limits: { ...DEFAULTS.limits, ...section?.limits },
  };
  for (const [name, request] of Object.entries(resources.requests)) {
    const problem = findRequestFault(name, request, resources.limits[name]);
    if (problem !== undefined)
      throw new SandboxError('invalid_config', `sandbox.kubernetes.resources.requests.${name}: ${problem}`);
  }
  return resources;
}

function findRequestFault(name: string, request: string, limit: string | undefined): string | undefined {
  if (limit === undefined)
    return isExact(name) ? `${request} needs the same amount under limits, found none` : undefined;
  const [asked, allowed] = [toNumber(request), toNumber(limit)];
  if (isExact(name) && asked !== allowed)
    return `${request} differs from the limit ${limit}; an extended resource cannot be overcommitted`;
  const origin = DEFAULTS.requests[name] === request ? ' (the default)' : '';
  return asked > allowed
    ? `${request}${origin} is above the limit ${limit}; lower it or raise the limit`
    : undefined;
}
