/** Refusals as the real API server words them. */

export interface ApiStatus {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Thrown by routes; becomes a `v1/Status`. */
export class ApiRefusal extends Error {
  readonly status: ApiStatus;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: ApiStatus, headers: Readonly<Record<string, string>> = {}) {
    super(status.message);
    this.name = 'ApiRefusal';
    this.status = status;
    this.headers = headers;
  }
}

/** The JSON of a refusal. */
export function toStatusObject({ code, reason, message, details }: ApiStatus): Record<string, unknown> {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  };
}

interface Named {
  readonly resource: string;
  readonly name: string;
}

const details = ({ resource, name }: Named) => ({ name, kind: resource });

export const notFound = (named: Named) =>
  new ApiRefusal({
    code: 404,
    reason: 'NotFound',
    message: `${named.resource} "${named.name}" not found`,
    details: details(named),
  });

export const alreadyExists = (named: Named, beingDeleted: boolean) =>
  new ApiRefusal({
    code: 409,
    reason: 'AlreadyExists',
    message: `${beingDeleted ? 'object is being deleted: ' : ''}${named.resource} "${named.name}" already exists`,
    details: details(named),
  });

export const conflict = (named: Named, why: string) =>
  new ApiRefusal({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${named.resource} "${named.name}": ${why}`,
    details: details(named),
  });

export const forbidden = (message: string, extra?: Readonly<Record<string, unknown>>) =>
  new ApiRefusal({
    code: 403,
    reason: 'Forbidden',
    message,
    ...(extra === undefined ? {} : { details: extra }),
  });

export const badRequest = (message: string) => new ApiRefusal({ code: 400, reason: 'BadRequest', message });

export const invalid = (named: Named & { readonly kind: string }, field: string, why: string) =>
  new ApiRefusal({
    code: 422,
    reason: 'Invalid',
    message: `${named.kind} "${named.name}" is invalid: ${field}: ${why}`,
    details: { ...details(named), causes: [{ reason: 'FieldValueInvalid', message: why, field }] },
  });

export const expired = () =>
  new ApiRefusal({
    code: 410,
    reason: 'Expired',
    message: 'too old resource version: 1 (2)',
  });

export const unauthorized = () =>
  new ApiRefusal({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
