/** Who may do what: everything, except what was denied; and which tokens are accepted. */
import { isMatch } from './faults.ts';
import type { RequestMatch } from './faults.ts';
import type { ApiRequest } from './api-request.ts';
import { forbidden, unauthorized } from './status.ts';

export const FAKE_USER = 'system:serviceaccount:omnigent:omnigent-server';

/** What every user who is known may ask (`system:basic-user`, `system:public-info-viewer`). */
const OPEN: readonly string[] = ['selfsubjectaccessreviews', 'version'];

export interface Rights {
  /** Requests that match are refused as RBAC does; returns how to allow them again. */
  deny(match: RequestMatch): () => void;
  /** Only these bearer tokens are accepted from now on; null accepts every request. */
  acceptTokens(tokens: readonly string[] | null): void;
  isAllowed(request: ApiRequest): boolean;
  /** Throws the refusal of a request that may not be. */
  check(request: ApiRequest): void;
}

function toMessage({ verb, resource, namespace, name }: ApiRequest): string {
  const [base = ''] = resource.split('/');
  const what = name === '' ? base : `${base} "${name}"`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  return `${what} is forbidden: User "${FAKE_USER}" cannot ${verb} resource "${resource}" in API group "" ${where}`;
}

/** All rights, any token. */
export function createRights(): Rights {
  const denied = new Set<RequestMatch>();
  let accepted: ReadonlySet<string> | null = null;
  const isAllowed = (request: ApiRequest) =>
    OPEN.includes(request.resource) || ![...denied].some((match) => isMatch(request, match));
  return {
    deny(match) {
      denied.add(match);
      return () => denied.delete(match);
    },
    acceptTokens(tokens) {
      accepted = tokens === null ? null : new Set(tokens.map((token) => `Bearer ${token}`));
    },
    isAllowed,
    check(request) {
      if (accepted !== null && !accepted.has(request.authorization ?? '')) throw unauthorized();
      if (!isAllowed(request)) throw forbidden(toMessage(request));
    },
  };
}
