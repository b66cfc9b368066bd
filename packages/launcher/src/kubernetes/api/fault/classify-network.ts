/** Failures without an answer: from the system's error code to the kind of fault. */
import type { Classification } from './classify-answer.ts';

const CERTIFICATE =
  /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_CA|HOSTNAME_MISMATCH|INVALID_PURPOSE)/;
/** Name errors that no waiting cures within a request; a resolver that is down says EAI_AGAIN instead. */
const DEFINITE = new Set([
  'ERR_INVALID_URL',
  'ERR_INVALID_PROTOCOL',
  'ERR_INVALID_CHAR',
  'ERR_UNESCAPED_CHARACTERS',
]);

function readSystemCode(error: unknown): string | null {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code;
  return error instanceof AggregateError ? readSystemCode(error.errors[0]) : null;
}

/** What an error of the socket means. */
export function classifyNetworkError(error: unknown): Classification {
  const systemCode = readSystemCode(error);
  if (systemCode !== null && CERTIFICATE.test(systemCode))
    return { fault: { kind: 'certificate', systemCode }, transient: false };
  return {
    fault: { kind: 'unreachable', systemCode },
    transient: systemCode === null || !DEFINITE.has(systemCode),
  };
}
