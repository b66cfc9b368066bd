/** Warnings about a Pod as evidence. Pure. */
import type { EventEvidence } from '@omnigent/protocol';
import type { ClusterEvent } from '../api/objects/event.ts';
import type { Pod } from '../api/objects/pod.ts';
import { countEvent, selectOwnEvents, toLastSeen } from '../status/assess-events.ts';
import { cleanText } from '../status/clean-text.ts';

const MAX_GROUPS = 10;

/** Warnings of exactly this Pod, grouped by reason and message with their count, the latest last; at most ten groups. */
export function buildEventEvidence(events: readonly ClusterEvent[], pod: Pod): EventEvidence[] {
  const groups = new Map<string, EventEvidence>();
  for (const event of selectOwnEvents(events, pod)) {
    if (event.type !== 'Warning') continue;
    const [reason, message] = [event.reason ?? '', cleanText(event.message ?? '')];
    const key = `${reason}\n${message}`;
    const count = (groups.get(key)?.count ?? 0) + countEvent(event);
    // Put in anew, so that the latest comes last.
    groups.delete(key);
    groups.set(key, { reason, message, count, last_seen: toLastSeen(event) });
  }
  return [...groups.values()].slice(-MAX_GROUPS);
}
