/** What a failed dial means: try again, or end (401, 403, 409, 410 and certificates are final before the first success). */
export interface DialFailure {
  readonly kind: 'refused' | 'certificate' | 'transient';
  /** HTTP status of the refusal. */
  readonly status?: number;
  readonly message: string;
}

export interface DialHistory {
  readonly hasConnectedBefore: boolean;
  /** For how long the server has refused, or shown a certificate that does not verify, without a success between. */
  readonly refusedForMs: number;
}

const FINAL_STATUSES = new Set([401, 403, 409, 410]);
/** After a success, a refusal may be a restart with a store that lags, a certificate one that is being replaced; it counts when it lasts. */
const PATIENCE_MS = 10 * 60 * 1000;

const CERTIFICATE_CODES = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
  'CERT_REVOKED',
]);

/** Whether a status is a refusal that can be final. */
export function isRefusal(status: number): boolean {
  return FINAL_STATUSES.has(status);
}

/** Whether an error of the connection is about the server's certificate. */
export function isCertificateError(error: NodeJS.ErrnoException): boolean {
  return error.code !== undefined && CERTIFICATE_CODES.has(error.code);
}

/** Whether the host must give up. */
export function isFinal(failure: DialFailure, history: DialHistory): boolean {
  if (failure.kind === 'transient') return false;
  if (failure.status === 410 || !history.hasConnectedBefore) return true;
  return history.refusedForMs >= PATIENCE_MS;
}
