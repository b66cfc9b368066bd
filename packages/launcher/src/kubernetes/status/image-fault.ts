/** Whether a failed image pull can pass by itself: the registry's own words decide. */
import type { ErrorCode } from '@omnigent/protocol';

const TRANSIENT =
  /QPS exceeded|toomanyrequests|too many requests|\b429\b|rate limit|timeout|timed out|deadline exceeded|\b50[0234]\b|\bEOF\b|connection re(set|fused)|no such host|temporary failure|i\/o|server misbehaving|TLS handshake|network is unreachable|internal server error|service unavailable|bad gateway/i;
const UNAUTHORIZED =
  /unauthorized|authentication required|denied|forbidden|no basic auth credentials|\b40[13]\b/i;
const NOT_FOUND = /not found|manifest unknown|name unknown|does not exist|\b404\b|no match for platform/i;

/** The code of a pull that can never work; undefined while it may still. */
export function diagnosePull(message: string): ErrorCode | undefined {
  if (TRANSIENT.test(message)) return undefined;
  if (NOT_FOUND.test(message)) return 'image_not_found';
  return UNAUTHORIZED.test(message) ? 'image_unauthorized' : undefined;
}
