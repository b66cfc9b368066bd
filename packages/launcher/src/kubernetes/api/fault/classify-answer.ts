/** HTTP status and Status object → the kind of fault, and whether trying again can help. */
import type { ClusterTarget } from '../cluster-error.ts';
import { classifyForbidden } from './classify-forbidden.ts';
import type { ClusterFault } from './cluster-fault.ts';
import { parseAdmissionFault } from './parse-admission.ts';
import type { ClusterStatus } from './status.ts';

export interface Classification {
  readonly fault: ClusterFault;
  readonly transient: boolean;
}

const definite = (fault: ClusterFault): Classification => ({ fault, transient: false });
const transient = (fault: ClusterFault): Classification => ({ fault, transient: true });

function classifyRefusal(status: ClusterStatus | null, target: ClusterTarget): Classification {
  // A quota that was just made has not been counted yet; an API server that just started has not read what it admits by.
  if (/status unknown for quota: |not yet ready to handle request/.test(status?.message ?? ''))
    return transient({ kind: 'unavailable' });
  return definite(classifyForbidden(status, target));
}

function classifyNotFound(status: ClusterStatus | null, target: ClusterTarget): Classification {
  if (status === null) return definite({ kind: 'answer' });
  const isNamespace =
    status.details?.kind === 'namespaces' || status.message?.startsWith('namespaces "') === true;
  if (isNamespace && target.resource !== 'namespaces')
    return definite({ kind: 'namespace_not_found', namespace: status.details?.name ?? target.namespace });
  return definite({ kind: 'not_found' });
}

function classifyConflict(status: ClusterStatus | null): Classification {
  const text = status?.message ?? '';
  if (status?.reason === 'AlreadyExists' || /already exists/.test(text))
    return definite({
      kind: 'already_exists',
      beingDeleted: text.startsWith('object is being deleted'),
      unsure: false,
    });
  // Admission updates the quota's usage with optimistic locking and gives up after a few tries.
  const isQuota = status?.details?.kind === 'resourcequotas' || /on resourcequotas "/.test(text);
  return { fault: { kind: 'conflict' }, transient: isQuota };
}

function classifyInvalid(status: ClusterStatus | null): Classification {
  const denied = parseAdmissionFault(status?.message ?? '');
  if (denied !== null) return definite(denied);
  const fields = status?.details?.causes.flatMap(({ field }) => (field === undefined ? [] : [field])) ?? [];
  return definite({ kind: 'invalid', fields: [...new Set(fields)] });
}

function classifyServerError(status: ClusterStatus | null): Classification {
  const failed = parseAdmissionFault(status?.message ?? '');
  // A webhook may choose any status for its refusal, and a refusal stays one.
  if (failed?.kind === 'admission_denied') return definite(failed);
  return transient(failed ?? { kind: 'unavailable' });
}

/** What an answer that is no success means. */
export function classifyAnswer(
  httpStatus: number,
  status: ClusterStatus | null,
  target: ClusterTarget,
): Classification {
  if (httpStatus === 401) return definite({ kind: 'unauthorized' });
  if (httpStatus === 403) return classifyRefusal(status, target);
  if (httpStatus === 404) return classifyNotFound(status, target);
  if (httpStatus === 409) return classifyConflict(status);
  if (httpStatus === 410) return definite({ kind: 'expired' });
  if (httpStatus === 400 || httpStatus === 422) return classifyInvalid(status);
  if (httpStatus === 429) return transient({ kind: 'throttled' });
  if (httpStatus === 408 || httpStatus >= 500) return classifyServerError(status);
  const denied = parseAdmissionFault(status?.message ?? '');
  if (denied !== null) return definite(denied);
  return definite(status === null ? { kind: 'answer' } : { kind: 'rejected' });
}
