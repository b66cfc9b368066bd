/** Containers and events as evidence of a diagnosis. Pure. */
import type { ContainerEvidence, EventEvidence } from '@omnigent/protocol';
import type { ClusterEvent } from '../api/objects/event.ts';
import type { Pod } from '../api/objects/pod.ts';
import { findMemoryLimit } from './terminated-fault.ts';

const MAX_EVENTS = 10;

/** The container concerned first, then every other that was killed for memory or failed. */
export function buildContainerEvidence(pod: Pod, concerned: string | undefined): ContainerEvidence[] {
  const statuses = [...pod.status.initContainerStatuses, ...pod.status.containerStatuses];
  const evidence = statuses.flatMap(({ name, state, lastState }): ContainerEvidence[] => {
    const terminated = state.terminated ?? lastState.terminated;
    const hasFailed = terminated != null && terminated.exitCode !== 0;
    if (name !== concerned && !hasFailed) return [];
    const isOutOfMemory = terminated?.reason === 'OOMKilled';
    return [
      {
        name,
        reason: terminated?.reason ?? state.waiting?.reason ?? null,
        message: terminated?.message ?? state.waiting?.message ?? null,
        exit_code: terminated?.exitCode ?? null,
        signal: terminated?.signal ?? null,
        memory_limit: isOutOfMemory ? findMemoryLimit(pod, name) : null,
      },
    ];
  });
  return evidence.toSorted((one, other) => Number(other.name === concerned) - Number(one.name === concerned));
}

/** Warning events of exactly this Pod, grouped by reason and message, the latest last. */
export function buildEventEvidence(events: readonly ClusterEvent[], pod: Pod): EventEvidence[] {
  const created = Date.parse(pod.metadata.creationTimestamp ?? '') || 0;
  const groups = new Map<string, EventEvidence>();
  for (const event of events) {
    const seen = event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? null;
    const isOurs =
      event.involvedObject.uid === pod.metadata.uid && (seen === null || Date.parse(seen) >= created - 1_000);
    if (event.type !== 'Warning' || !isOurs) continue;
    const [reason, message] = [event.reason ?? '', (event.message ?? '').trim()];
    const key = `${reason}\n${message}`;
    const before = groups.get(key);
    const count = event.series?.count ?? event.count ?? 1;
    groups.delete(key);
    groups.set(key, { reason, message, count: (before?.count ?? 0) + count, last_seen: seen });
  }
  return [...groups.values()].slice(-MAX_EVENTS);
}

const SCALE_UP = /^(TriggeredScaleUp|Nominated)$/;

/** Whether an autoscaler is making room, or has said that it will not. */
export function findScaling(events: readonly ClusterEvent[]): 'growing' | 'refused' | undefined {
  if (events.some(({ reason }) => SCALE_UP.test(reason ?? ''))) return 'growing';
  return events.some(({ reason }) => reason === 'NotTriggerScaleUp') ? 'refused' : undefined;
}
