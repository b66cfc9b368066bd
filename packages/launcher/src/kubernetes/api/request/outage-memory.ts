/**
 * An API server that has just come back answers before it has read the rights and the accounts: it refuses with 401 and
 * 403 what it permits a moment later. Such a refusal is no verdict while the memory of the outage is fresh.
 */
import type { Clock } from '@omnigent/protocol';
import { ClusterError } from '../cluster-error.ts';
import { renderTarget } from '../fault/render-fault.ts';

/** From the first answer after an outage; a server reads all rights within a few seconds. */
const RETURN_MS = 10_000;
const OUTAGE_STATUS: ReadonlySet<number | null> = new Set([null, 502, 503, 504]);

export interface OutageMemory {
  noteAnswer(): void;
  /** The error as it is to be taken; also remembers it. */
  judge(error: ClusterError): ClusterError;
}

function isOutage({ fault, status }: ClusterError): boolean {
  if (fault.kind === 'unreachable' || fault.kind === 'timeout') return true;
  return fault.kind === 'unavailable' && OUTAGE_STATUS.has(status);
}

function toPassing(error: ClusterError): ClusterError {
  const { verb, resource, namespace, objectName: name, status, reason } = error;
  const target = { verb, resource, namespace, name };
  const text = `the API server has just come back and still refuses (status ${status ?? 'none'})`;
  return new ClusterError(`cannot ${renderTarget(target)}: ${text}`, {
    target,
    fault: { kind: 'unavailable' },
    transient: true,
    status,
    reason,
    cause: error,
  });
}

/** A memory that has seen no outage. */
export function createOutageMemory(clock: Pick<Clock, 'monotonicMs'>): OutageMemory {
  let state: 'up' | 'down' | { readonly untilMs: number } = 'up';

  function noteAnswer(): void {
    if (state === 'down') state = { untilMs: clock.monotonicMs() + RETURN_MS };
    else if (state !== 'up' && clock.monotonicMs() >= state.untilMs) state = 'up';
  }

  return {
    noteAnswer,
    judge(error) {
      if (isOutage(error)) {
        state = 'down';
        return error;
      }
      noteAnswer();
      const isRefusal = error.fault.kind === 'forbidden' || error.fault.kind === 'unauthorized';
      return isRefusal && state !== 'up' ? toPassing(error) : error;
    },
  };
}
