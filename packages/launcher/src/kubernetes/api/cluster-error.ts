/** The one error of this folder: what was asked of the cluster, what it answered, and what kind of fault that is. */
import { SandboxError } from '@omnigent/protocol';
import type { ErrorCode } from '@omnigent/protocol';
import type { ClusterFault, ClusterFaultKind } from './fault/cluster-fault.ts';

/** Verbs as RBAC spells them. */
export type ClusterVerb = 'create' | 'get' | 'list' | 'watch' | 'patch' | 'delete';

/** What a request is about. */
export interface ClusterTarget {
  readonly verb: ClusterVerb;
  /** `pods`, `pods/log`, `secrets`, … */
  readonly resource: string;
  /** Null for what has no namespace. */
  readonly namespace: string | null;
  /** Null for a list, a watch and everything without a name. */
  readonly name: string | null;
}

const CODES: Readonly<Record<ClusterFaultKind, ErrorCode>> = {
  forbidden: 'cluster_forbidden',
  unauthorized: 'cluster_unauthorized',
  quota_exceeded: 'quota_exceeded',
  quota_unspecified: 'quota_unspecified',
  limit_range: 'limit_range',
  pod_security: 'pod_security',
  namespace_terminating: 'namespace_terminating',
  namespace_not_found: 'namespace_not_found',
  service_account_not_found: 'service_account_not_found',
  runtime_class_not_found: 'runtime_class_not_found',
  admission_denied: 'admission_denied',
  webhook_failed: 'webhook_failed',
  already_exists: 'object_conflict',
  conflict: 'object_conflict',
  not_found: 'cluster_rejected',
  invalid: 'cluster_rejected',
  rejected: 'cluster_rejected',
  expired: 'cluster_unreachable',
  throttled: 'cluster_unreachable',
  unavailable: 'cluster_unreachable',
  unreachable: 'cluster_unreachable',
  timeout: 'cluster_unreachable',
  answer: 'cluster_answer',
  certificate: 'cluster_certificate',
};

export interface ClusterErrorOptions {
  readonly target: ClusterTarget;
  readonly fault: ClusterFault;
  /** HTTP status; null when there was no answer. */
  readonly status?: number | null;
  /** `reason` of the Status object. */
  readonly reason?: string | null;
  /** Whether the same request may succeed in a moment. */
  readonly transient?: boolean;
  /** How long the cluster asked to wait, in milliseconds. */
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

/** A request to the cluster that failed. Branch on {@link ClusterError.fault}; the message is for people. */
export class ClusterError extends SandboxError {
  readonly verb: ClusterVerb;
  readonly resource: string;
  readonly namespace: string | null;
  /** Name of the object asked for (`name` is the error's own). */
  readonly objectName: string | null;
  readonly status: number | null;
  readonly reason: string | null;
  readonly fault: ClusterFault;
  readonly transient: boolean;
  readonly retryAfterMs: number | null;

  constructor(message: string, options: ClusterErrorOptions) {
    const { target, fault, status = null, reason = null } = options;
    super(CODES[fault.kind], message, {
      ...(options.cause === undefined ? {} : { cause: options.cause }),
      details: {
        verb: target.verb,
        resource: target.resource,
        namespace: target.namespace,
        name: target.name,
        status,
        reason,
        fault,
      },
    });
    this.name = 'ClusterError';
    this.verb = target.verb;
    this.resource = target.resource;
    this.namespace = target.namespace;
    this.objectName = target.name;
    this.status = status;
    this.reason = reason;
    this.fault = fault;
    this.transient = options.transient ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** Whether a value is a {@link ClusterError}, optionally of one kind of fault. */
export function isClusterError(value: unknown, kind?: ClusterFaultKind): value is ClusterError {
  return value instanceof ClusterError && (kind === undefined || value.fault.kind === kind);
}
