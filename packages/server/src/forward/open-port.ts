/** A TCP connection to a port of a sandbox, as a stream at its host. */
import { HOST_ROUTES, TUNNEL_HTTP2 } from '@omnigent/protocol';
import type { HostLink } from '../tunnel/host-link.ts';
import { openHostStream } from './public-call.ts';
import type { HostStream } from './public-call.ts';

/** The host itself gives up earlier. */
const OPEN_TIMEOUT_MS = 15_000;

/** Resolves when the program has taken the connection. @throws SandboxError `port_not_listening`, `host_offline`. */
export function openPort(connection: HostLink, port: number): Promise<HostStream> {
  const headers = {
    ':protocol': TUNNEL_HTTP2.connectProtocol,
    ':scheme': 'http',
    ':authority': `127.0.0.1:${port}`,
  };
  return openHostStream(connection, { method: 'CONNECT', path: HOST_ROUTES.tcp, headers }, OPEN_TIMEOUT_MS);
}
