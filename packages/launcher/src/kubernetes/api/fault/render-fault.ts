/** The sentence of a {@link ClusterError}: what was asked, then what was found. Built from the fault and the cluster's own text. */
import type { ClusterTarget } from '../cluster-error.ts';
import type { Amounts, ClusterFault } from './cluster-fault.ts';

const MAX_TEXT = 1_000;

/** `get pods "x" in namespace "ns"`. */
export function renderTarget({ verb, resource, name, namespace }: ClusterTarget): string {
  const what = name === null ? resource : `${resource} "${name}"`;
  return `${verb} ${what}${namespace === null ? '' : ` in namespace "${namespace}"`}`;
}

/** Text of another program in one line, without control characters and without anything that looks like a credential. */
export function sanitizeText(text: string, secrets: readonly string[] = []): string {
  return secrets
    .filter((secret) => secret.length > 0)
    .reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [redacted]')
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[redacted]')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** At most as much as a message bears. */
export function cutText(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

function renderAmounts(amounts: Amounts): string {
  return Object.entries(amounts)
    .map(([name, amount]) => `${name}=${amount}`)
    .join(', ');
}

const renderContainers = (names: readonly string[]): string =>
  names.length === 0 ? '' : ` in container ${names.join(', ')}`;

/** Faults whose facts read better than the cluster's text; null leaves the text. */
export function renderFault(fault: ClusterFault): string | null {
  switch (fault.kind) {
    case 'forbidden':
      return `${fault.user === null ? 'the server' : fault.user} lacks the right "${fault.verb}" on "${fault.resource}"`;
    case 'quota_exceeded':
      return `quota "${fault.quota}" is used up: requested ${renderAmounts(fault.requested)}; used ${renderAmounts(fault.used)}; limited to ${renderAmounts(fault.limited)}`;
    case 'quota_unspecified':
      return `quota "${fault.quota}" demands a value for ${fault.fields.join(', ')}${renderContainers(fault.containers)}`;
    case 'limit_range':
      return `the LimitRange refuses it: ${fault.violations.join('; ')}`;
    case 'pod_security':
      return `it violates Pod Security "${fault.policy}": ${fault.violations}`;
    case 'webhook_failed':
      return `admission webhook "${fault.webhook ?? 'unknown'}" could not be called: ${fault.text}`;
    case 'admission_denied':
      return fault.webhook === null ? fault.text : `admission "${fault.webhook}" refused it: ${fault.text}`;
    case 'timeout':
      return `no answer within ${fault.deadlineMs / 1000} s`;
    case 'unauthorized':
    case 'namespace_terminating':
    case 'namespace_not_found':
    case 'service_account_not_found':
    case 'runtime_class_not_found':
    case 'not_found':
    case 'already_exists':
    case 'conflict':
    case 'invalid':
    case 'expired':
    case 'throttled':
    case 'unavailable':
    case 'unreachable':
    case 'certificate':
    case 'answer':
    case 'rejected':
      return null;
  }
}
