/** A 403 is not always a missing right: admission refuses with the same status. Only the text tells them apart. */
import type { ClusterTarget } from '../cluster-error.ts';
import type { ClusterFault } from './cluster-fault.ts';
import { parseAdmissionFault } from './parse-admission.ts';
import { buildForbiddenFault, parseAuthorizationFault } from './parse-authorization.ts';
import { parseLimitRangeFault } from './parse-limit-range.ts';
import { parsePodSecurityFault } from './parse-pod-security.ts';
import { parseQuotaFault } from './parse-quota.ts';
import type { ClusterStatus } from './status.ts';

const TERMINATING = /unable to create new content in namespace (\S+) because it is being terminated/;
const SERVICE_ACCOUNT = /error looking up service account \S+: serviceaccount "([^"]+)" not found/;
const RUNTIME_CLASS = /RuntimeClass "([^"]+)" not found/;
/** What admission writes in front of its reason; a refusal by an authorizer never has a colon there without "User". */
const ADMISSION = /^\S+ "[^"]*" is forbidden: (?!User )(.+)$/s;

function parseMissingReference(text: string): ClusterFault | null {
  const terminating = TERMINATING.exec(text);
  if (terminating !== null) return { kind: 'namespace_terminating', namespace: terminating[1] ?? null };
  const account = SERVICE_ACCOUNT.exec(text);
  if (account !== null) return { kind: 'service_account_not_found', serviceAccount: account[1] ?? null };
  const runtime = RUNTIME_CLASS.exec(text);
  return runtime === null ? null : { kind: 'runtime_class_not_found', runtimeClass: runtime[1] ?? null };
}

/** In this order: a webhook may quote any of the later texts, and quota names may contain anything. */
const PARSERS = [
  parseAdmissionFault,
  parseAuthorizationFault,
  parsePodSecurityFault,
  parseQuotaFault,
  parseMissingReference,
  parseLimitRangeFault,
];

/** What a 403 means. */
export function classifyForbidden(status: ClusterStatus | null, target: ClusterTarget): ClusterFault {
  const text = status?.message ?? '';
  for (const parse of PARSERS) {
    const fault = parse(text);
    if (fault !== null) return fault;
  }
  if (status?.details?.causes.some((cause) => cause.reason === 'NamespaceTerminating'))
    return { kind: 'namespace_terminating', namespace: target.namespace };
  const admission = ADMISSION.exec(text);
  if (admission !== null) return { kind: 'admission_denied', webhook: null, text: admission[1] ?? text };
  return buildForbiddenFault(target);
}
