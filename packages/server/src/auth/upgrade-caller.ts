/** Who opens a WebSocket: by the Authorization header, or by a subprotocol where there can be no headers. */
import type { IncomingMessage } from 'node:http';
import { parseBearerProtocol } from '@omnigent/protocol';
import type { Caller } from './bearer.ts';

/** The subprotocols that an upgrade request offers. */
export function readProtocols({ headers }: IncomingMessage): string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
}

/**
 * Cookies are never looked at, so that a page of another origin can open nothing with its visitor's rights.
 *
 * @throws SandboxError `unauthenticated`.
 */
export function authenticateUpgrade(
  request: IncomingMessage,
  authenticate: (header: string | undefined) => Caller,
): Caller {
  const { authorization } = request.headers;
  if (authorization !== undefined) return authenticate(authorization);
  const token = parseBearerProtocol(readProtocols(request));
  return authenticate(token === undefined ? undefined : `Bearer ${token}`);
}
