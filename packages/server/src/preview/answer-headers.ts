/** The headers of a program's answer as the caller gets them. Pure. */
import { isOwnCookie } from './cookies.ts';
import { listEndToEnd, toRawHeaders } from './raw-headers.ts';

export interface AnswerFacts {
  /** Host name of the preview, without a port. */
  readonly hostname: string;
  /** Whether the answer belongs to the server's own origin. */
  readonly isSharedOrigin: boolean;
}

/** Another address of the program is none of the preview. */
const NEVER: readonly string[] = ['alt-svc'];
/** What speaks for a whole origin, which is not the program's alone below a path. */
const ORIGIN_WIDE: readonly string[] = [
  'clear-site-data',
  'service-worker-allowed',
  'strict-transport-security',
  'set-cookie',
];

/** Below a path, a page would run with the rights of the server's own pages: it gets an origin that nothing else has. */
const LOCKED = ['Content-Security-Policy', 'sandbox', 'X-Content-Type-Options', 'nosniff'];

/** The flat list of headers for the caller. */
export function buildAnswerHeaders(
  rawHeaders: readonly string[],
  { hostname, isSharedOrigin }: AnswerFacts,
): string[] {
  const kept = listEndToEnd(rawHeaders).filter(({ key, value }) => {
    if (NEVER.includes(key) || (isSharedOrigin && ORIGIN_WIDE.includes(key))) return false;
    return key !== 'set-cookie' || isOwnCookie(value, hostname);
  });
  return [...toRawHeaders(kept), ...(isSharedOrigin ? LOCKED : [])];
}
