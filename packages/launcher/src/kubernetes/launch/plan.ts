/** What a launch would create, the token redacted, and what admission would change of it. */
import type { Plan } from '@omnigent/protocol';
import type { ClusterClient } from '../api/cluster-client.ts';
import type { LaunchManifests } from './launch-manifests.ts';

/** The manifests as they would be sent; the token is replaced. */
export function buildPlan({ secret, pod }: LaunchManifests): Plan {
  const data = Object.fromEntries(Object.keys(secret.data ?? {}).map((key) => [key, '***']));
  return { manifests: [{ ...secret, data }, { ...pod }] };
}

/** What the API server adds to every object. */
const BOOKKEEPING =
  /^\/(status|metadata\/(uid|resourceVersion|creationTimestamp|generation|managedFields))(\/|$)/;

/** Adds what the cluster's admission would change. Nothing is stored. */
export async function planWithAdmission(
  client: Pick<ClusterClient, 'dryRunPod'>,
  manifests: LaunchManifests,
  signal: AbortSignal,
): Promise<Plan> {
  const admitted = await client.dryRunPod(manifests.pod, { signal });
  const changes = findChanges({ ...manifests.pod }, admitted);
  return { ...buildPlan(manifests), changes: changes.filter(({ path }) => !BOOKKEEPING.test(path)) };
}

type Change = NonNullable<Plan['changes']>[number];

/** Every field that differs, with its path; `sent` is undefined where admission added it. */
export function findChanges(sent: unknown, admitted: unknown, path = ''): Change[] {
  if (JSON.stringify(sent) === JSON.stringify(admitted)) return [];
  const [left, right] = [toEntries(sent), toEntries(admitted)];
  if (left === undefined || right === undefined) return [{ path, sent, admitted }];
  const keys = new Set([...left.keys(), ...right.keys()]);
  return [...keys].flatMap((key) => findChanges(left.get(key), right.get(key), `${path}/${key}`));
}

/** Fields of an object, or items of a list by their names. */
function toEntries(value: unknown): Map<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  return new Map(value.map((item: unknown, index) => [toKey(item, index), item]));
}

function toKey(item: unknown, index: number): string {
  const hasName =
    typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string';
  return hasName ? String(item.name) : String(index);
}
