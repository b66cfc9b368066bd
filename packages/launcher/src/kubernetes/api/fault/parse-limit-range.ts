/** LimitRange admission's refusal: one violation, or several in brackets. */
import type { ClusterFault } from './cluster-fault.ts';

const VIOLATION =
  /(?:maximum|minimum) \S+ usage per \w+ is [^,\]]+, but (?:(?:request|limit) is [^,\]]+|no (?:request|limit) is specified)|\S+ max limit to request ratio per \w+ is [^,\]]+, but (?:provided ratio is [^,\]]+|no (?:request|limit) is specified(?: or [^,\]]+)?)/g;

/** The fault of a LimitRange's refusal; null when the text is none. */
export function parseLimitRangeFault(text: string): ClusterFault | null {
  const violations = text.match(VIOLATION)?.map((violation) => violation.trim().replace(/\.$/, ''));
  return violations === undefined ? null : { kind: 'limit_range', violations };
}
