/** Pod Security admission's refusal: which policy, what it objects to, in which containers. */
import type { ClusterFault } from './cluster-fault.ts';

const VIOLATES = /violates PodSecurity "([^"]+)": (.+)$/s;
const CONTAINERS = /\bcontainers? ((?:"[^"]+"(?:, )?)+)/g;

/** The fault of a Pod Security refusal; null when the text is none. */
export function parsePodSecurityFault(text: string): ClusterFault | null {
  const match = VIOLATES.exec(text);
  if (match === null) return null;
  const [, policy = '', violations = ''] = match;
  const quoted = [...violations.matchAll(CONTAINERS)].flatMap(
    ([, names = '']) => names.match(/"[^"]+"/g) ?? [],
  );
  const containers = [...new Set(quoted.map((name) => name.slice(1, -1)))];
  return { kind: 'pod_security', policy, violations, containers };
}
