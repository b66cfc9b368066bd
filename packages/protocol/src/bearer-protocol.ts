/**
 * The bearer token of a WebSocket that cannot carry headers, as those of browsers: one more subprotocol among the offered
 * ones, `omnigent.bearer.` and the token in base64url. It stands in a header that proxies and servers do not log, unlike the
 * address; the server never chooses it, so it is not repeated in the answer.
 */
const PREFIX = 'omnigent.bearer.';

/** The subprotocol that carries a token. */
export function buildBearerProtocol(token: string): string {
  return PREFIX + btoa(token).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Whether a subprotocol carries a token. */
export function isBearerProtocol(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** The token that one of the offered subprotocols carries; undefined when none does. */
export function parseBearerProtocol(protocols: readonly string[]): string | undefined {
  const encoded = protocols.find(isBearerProtocol)?.slice(PREFIX.length);
  if (encoded === undefined || !/^[A-Za-z0-9_-]{1,700}$/.test(encoded)) return undefined;
  try {
    return atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return undefined;
  }
}
