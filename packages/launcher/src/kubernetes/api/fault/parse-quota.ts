/** The ResourceQuota admission's two refusals; their numbers exist only as text. */
import type { Amounts, ClusterFault } from './cluster-fault.ts';

const EXCEEDED = /exceeded quota: ([^,]+), requested: (.+?), used: (.+?), limited: (.+)$/s;
const UNSPECIFIED = /failed quota: ([^:]+): must specify (.+)$/s;

/** `limits.memory=2Gi,pods=1` → amounts by name. */
function parseAmounts(text: string): Amounts {
  const pairs = text.split(',').map((pair) => pair.trim().split('='));
  return Object.fromEntries(pairs.flatMap(([name, amount]) => (name && amount ? [[name, amount]] : [])));
}

/** `limits.cpu for: host; limits.memory for: host,clone` (older: `limits.cpu,limits.memory`) → field names. */
function parseFields(text: string): string[] {
  const fields = text.split(';').flatMap((part) => (part.split(' for:')[0] ?? '').split(','));
  return fields.map((field) => field.trim()).filter((field) => field !== '');
}

/** The same text → names of containers. */
function parseContainers(text: string): string[] {
  const names = text.split(';').flatMap((part) => (part.split(' for:')[1] ?? '').split(','));
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
}

/** The fault of a quota's refusal; null when the text is none. */
export function parseQuotaFault(text: string): ClusterFault | null {
  const exceeded = EXCEEDED.exec(text);
  if (exceeded !== null) {
    const [, quota = '', requested = '', used = '', limited = ''] = exceeded;
    return {
      kind: 'quota_exceeded',
      quota,
      requested: parseAmounts(requested),
      used: parseAmounts(used),
      limited: parseAmounts(limited),
    };
  }
  const unspecified = UNSPECIFIED.exec(text);
  if (unspecified === null) return null;
  const [, quota = '', fields = ''] = unspecified;
  return {
    kind: 'quota_unspecified',
    quota,
    fields: parseFields(fields),
    containers: parseContainers(fields),
  };
}
