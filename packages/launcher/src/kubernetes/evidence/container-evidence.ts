/** Containers as evidence. Pure. */
import type { ContainerEvidence } from '@omnigent/protocol';
import type { ContainerStatus, Pod } from '../api/objects/pod.ts';
import { cleanText } from '../status/clean-text.ts';
import { findMemoryLimit } from '../status/find-containers.ts';

/** Reasons of containers that are merely not there yet. */
const ORDINARY: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing', '']);

function isTelling({ state, lastState }: ContainerStatus): boolean {
  const ended = [state.terminated, lastState.terminated].filter((terminated) => Boolean(terminated));
  if (ended.some((terminated) => terminated?.exitCode !== 0)) return true;
  return Boolean(state.waiting) && !ORDINARY.has(state.waiting?.reason ?? '');
}

function toEvidence(pod: Pod, { name, state, lastState }: ContainerStatus): ContainerEvidence {
  // A container that waits to be restarted tells more by how it ended.
  const terminated = state.terminated ?? lastState.terminated;
  const message = terminated?.message ?? state.waiting?.message;
  return {
    name,
    reason: terminated?.reason ?? state.waiting?.reason ?? null,
    message: message === undefined ? null : cleanText(message),
    exit_code: terminated?.exitCode ?? null,
    signal: terminated?.signal ?? null,
    memory_limit: terminated?.reason === 'OOMKilled' ? findMemoryLimit(pod, name) : null,
  };
}

/** The container concerned first, then every other that failed, was killed for memory or cannot start. */
export function buildContainerEvidence(pod: Pod, concerned: string | null): ContainerEvidence[] {
  const statuses = [...pod.status.initContainerStatuses, ...pod.status.containerStatuses];
  return statuses
    .filter((status) => status.name === concerned || isTelling(status))
    .toSorted((one, other) => Number(other.name === concerned) - Number(one.name === concerned))
    .map((status) => toEvidence(pod, status));
}
