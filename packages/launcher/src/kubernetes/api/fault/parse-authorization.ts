/** A right that is missing, as the authorizer writes it. */
import type { ClusterTarget } from '../cluster-error.ts';
import type { ClusterFault } from './cluster-fault.ts';

const CANNOT = /User "([^"]*)" cannot (\S+) resource "([^"]+)"/;
/** Non-resource paths: `User "x" cannot get path "/version"`. */
const CANNOT_PATH = /User "([^"]*)" cannot (\S+) path "([^"]+)"/;

/** The fault of a missing right; null when the text is about something else. */
export function parseAuthorizationFault(text: string): ClusterFault | null {
  const match = CANNOT.exec(text) ?? CANNOT_PATH.exec(text);
  if (match === null) return null;
  const [, user = '', verb = '', resource = ''] = match;
  return { kind: 'forbidden', user, verb, resource };
}

/** A refusal without an explanation that we know: the right that the request needed. */
export function buildForbiddenFault(target: ClusterTarget): ClusterFault {
  return { kind: 'forbidden', user: null, verb: target.verb, resource: target.resource };
}
