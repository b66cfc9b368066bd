/** What went wrong between us and the cluster, as a union to branch on instead of on the text of a message. */

/** Amounts by resource name, as the cluster writes them: `{"limits.memory": "2Gi"}`. */
export type Amounts = Readonly<Record<string, string>>;

export type ClusterFault =
  /** RBAC (or another authorizer) lacks this right. `subresource` is part of `resource`: `pods/log`. */
  | {
      readonly kind: 'forbidden';
      readonly user: string | null;
      readonly verb: string;
      readonly resource: string;
    }
  | { readonly kind: 'unauthorized' }
  /** The quota has no room now. */
  | {
      readonly kind: 'quota_exceeded';
      readonly quota: string;
      readonly requested: Amounts;
      readonly used: Amounts;
      readonly limited: Amounts;
    }
  /** The quota demands that these fields are set (`limits.memory`). */
  | {
      readonly kind: 'quota_unspecified';
      readonly quota: string;
      readonly fields: readonly string[];
      /** Containers that lack one of them; empty when the cluster does not say. */
      readonly containers: readonly string[];
    }
  | { readonly kind: 'limit_range'; readonly violations: readonly string[] }
  | {
      readonly kind: 'pod_security';
      /** `restricted:latest`. */
      readonly policy: string;
      readonly violations: string;
      /** Containers that the cluster names as offending. */
      readonly containers: readonly string[];
    }
  | { readonly kind: 'namespace_terminating'; readonly namespace: string | null }
  | { readonly kind: 'namespace_not_found'; readonly namespace: string | null }
  | { readonly kind: 'service_account_not_found'; readonly serviceAccount: string | null }
  | { readonly kind: 'runtime_class_not_found'; readonly runtimeClass: string | null }
  /** An admission webhook (or policy) said no; `text` is its own message. */
  | { readonly kind: 'admission_denied'; readonly webhook: string | null; readonly text: string }
  /** An admission webhook could not be asked. */
  | { readonly kind: 'webhook_failed'; readonly webhook: string | null; readonly text: string }
  | { readonly kind: 'not_found' }
  /**
   * An object of this name exists. `beingDeleted`: it is on its way out. `unsure`: an earlier try of the same call was
   * lost on the way, so the object may be the one that it created.
   */
  | { readonly kind: 'already_exists'; readonly beingDeleted: boolean; readonly unsure: boolean }
  /** The object changed meanwhile, or a uid precondition did not hold. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'invalid'; readonly fields: readonly string[] }
  /** 410: the resource version or page is too old. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'throttled' }
  /** 5xx of the API server, etcd or something between. */
  | { readonly kind: 'unavailable' }
  /** No answer: DNS, TCP, TLS, or the connection broke. */
  | { readonly kind: 'unreachable'; readonly systemCode: string | null }
  /** The certificate of the API server does not verify. */
  | { readonly kind: 'certificate'; readonly systemCode: string }
  | { readonly kind: 'timeout'; readonly deadlineMs: number }
  /** An answer that no API server gives: a proxy's page, broken JSON. */
  | { readonly kind: 'answer' }
  | { readonly kind: 'rejected' };

export type ClusterFaultKind = ClusterFault['kind'];
