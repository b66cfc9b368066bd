/** The headers of a request as the program gets them: everything but our credentials and what belongs to one connection. Pure. */
import type { IncomingHttpHeaders } from 'node:http';
import { TUNNEL, isBearerProtocol } from '@omnigent/protocol';
import { removePreviewCookies } from './cookies.ts';
import { listEndToEnd, toRawHeaders } from './raw-headers.ts';
import type { HeaderLine } from './raw-headers.ts';

export interface IncomingHead {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

export interface RequestFacts {
  /** `Host` at the program. */
  readonly host: string;
  /** `Host` as the caller sent it. */
  readonly publicHost: string;
  readonly scheme: 'http' | 'https';
  /** Prefix of the path that the program does not see; may be empty. */
  readonly prefix: string;
  readonly remoteAddress: string;
  /** The `Authorization` is our own, not the program's. */
  readonly isAuthorizationOurs: boolean;
  /** Whether the request asks for another protocol on its connection. */
  readonly isUpgrade: boolean;
}

/** Set here, and not to be believed from a caller. */
const REPLACED: ReadonlySet<string> = new Set([
  'host',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-prefix',
  'x-forwarded-for',
  'forwarded',
  // Answered by this server, or said again below.
  'expect',
  'content-length',
  TUNNEL.tokenHeader,
]);

/** The flat list of headers for the program. */
export function buildRequestHeaders(head: IncomingHead, facts: RequestFacts): string[] {
  const kept = listEndToEnd(head.rawHeaders)
    .filter(({ key }) => !REPLACED.has(key) && !(key === 'authorization' && facts.isAuthorizationOurs))
    .flatMap(withoutCredentials);
  return [
    'Host',
    facts.host,
    ...toRawHeaders(kept),
    ...buildFraming(head, facts.isUpgrade),
    ...buildForwarded(head.headers, facts),
  ];
}

/** Whether a body follows the head. */
export function hasBody({ headers }: Pick<IncomingHead, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function withoutCredentials(line: HeaderLine): HeaderLine[] {
  const value =
    line.key === 'cookie'
      ? removePreviewCookies(line.value)
      : line.key === 'sec-websocket-protocol'
        ? removeBearerProtocols(line.value)
        : line.value;
  return value === undefined ? [] : [{ ...line, value }];
}

function removeBearerProtocols(value: string): string | undefined {
  const names = value.split(',').map((name) => name.trim());
  const others = names.filter((name) => !isBearerProtocol(name));
  if (others.length === names.length) return value;
  return others.length === 0 ? undefined : others.join(', ');
}

function buildFraming({ method, headers }: IncomingHead, isUpgrade: boolean): string[] {
  const { 'content-length': length, 'transfer-encoding': encoding, upgrade = '' } = headers;
  const connection = isUpgrade ? ['Connection', 'Upgrade', 'Upgrade', upgrade] : ['Connection', 'close'];
  if (encoding !== undefined) return [...connection, 'Transfer-Encoding', 'chunked'];
  if (length !== undefined) return [...connection, 'Content-Length', length];
  // A method that usually has a body says that there is none; some servers would wait for one.
  return ['POST', 'PUT', 'PATCH'].includes(method) ? [...connection, 'Content-Length', '0'] : connection;
}

function buildForwarded(headers: IncomingHttpHeaders, facts: RequestFacts): string[] {
  const { publicHost, scheme, prefix, remoteAddress } = facts;
  const before = headers['x-forwarded-for'];
  const node = remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress;
  return [
    'X-Forwarded-For',
    before === undefined ? remoteAddress : `${String(before)}, ${remoteAddress}`,
    'X-Forwarded-Host',
    publicHost,
    'X-Forwarded-Proto',
    scheme,
    ...(prefix === '' ? [] : ['X-Forwarded-Prefix', prefix]),
    'Forwarded',
    `for="${node}";host="${publicHost.replaceAll(/["\\]/g, '')}";proto=${scheme}`,
  ];
}
