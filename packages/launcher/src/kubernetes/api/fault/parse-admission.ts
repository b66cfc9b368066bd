/** Webhooks and admission policies: those that said no, and those that could not be asked. */
import type { ClusterFault } from './cluster-fault.ts';

const DENIED = /admission webhook "([^"]+)" denied the request(?: without explanation)?(?:: ?(.*))?$/s;
const POLICY = /ValidatingAdmissionPolicy '([^']+)'.*? denied request: (.*)$/s;
const FAILED = /failed calling webhook "([^"]+)": (.*)$/s;

/** The fault of a webhook or policy; null when the text is of none. */
export function parseAdmissionFault(text: string): ClusterFault | null {
  const failed = FAILED.exec(text);
  if (failed !== null) return { kind: 'webhook_failed', webhook: failed[1] ?? null, text: failed[2] ?? '' };
  const denied = DENIED.exec(text) ?? POLICY.exec(text);
  if (denied === null) return null;
  return { kind: 'admission_denied', webhook: denied[1] ?? null, text: denied[2] ?? '' };
}
