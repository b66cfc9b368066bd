/** `GET /v1/sandboxes/{id}/ports/{port}/connect`: refuses before the upgrade, then carries one TCP connection. */
import {
  FORWARD_SUBPROTOCOL,
  HOST_ROUTES,
  MAX_FORWARD_MESSAGE_BYTES,
  SandboxError,
  TUNNEL_HTTP2,
  fromProblem,
} from '@omnigent/protocol';
import { WebSocketServer } from 'ws';
import type { ApiContext } from '../api/context.ts';
import { checkCallable } from '../api/host-routes.ts';
import { findSandbox } from '../api/sandbox-lookup.ts';
import { authenticateUpgrade, readProtocols } from '../auth/upgrade-caller.ts';
import { parseJsonText, readText } from '../tunnel/host-connection.ts';
import type { HostLink } from '../tunnel/host-link.ts';
import type { Upgrade } from '../tunnel/upgrade.ts';
import { bridgePort } from './bridge-port.ts';
import type { PortStream } from './bridge-port.ts';

export const PORT_PATTERN = /^\/v1\/sandboxes\/([^/]+)\/ports\/([^/]+)\/connect$/;

/** The host itself gives up earlier. */
const OPEN_TIMEOUT_MS = 15_000;

export class PortEndpoint {
  readonly #context: ApiContext;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_FORWARD_MESSAGE_BYTES,
    handleProtocols: () => FORWARD_SUBPROTOCOL,
  });

  constructor(context: ApiContext) {
    this.#context = context;
  }

  /** Answers an upgrade request. @throws SandboxError when it is refused; nothing has been sent then. */
  async accept(
    { request, duplex, head }: Upgrade,
    [sandbox = '', portText = '']: readonly string[],
  ): Promise<void> {
    const { store, connections, authenticate, touch } = this.#context;
    const { owner } = authenticateUpgrade(request, authenticate);
    if (!readProtocols(request).includes(FORWARD_SUBPROTOCOL))
      throw new SandboxError(
        'invalid_request',
        `expected the subprotocol ${FORWARD_SUBPROTOCOL} to be offered`,
      );
    const port = parsePort(portText);
    const record = await findSandbox(store.sandboxes, owner, sandbox);
    checkCallable(record);
    const stream = await openPort(connections.get(record.hostId), port);
    if (duplex.destroyed) return stream.close();
    touch(record.id);
    this.#sockets.handleUpgrade(request, duplex, head, (socket) => {
      bridgePort(socket, stream);
      socket.once('close', () => touch(record.id));
    });
  }
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new SandboxError('invalid_request', `expected a port from 1 to 65535, found ${JSON.stringify(text)}`);
}

/** Asks the host first: what it refuses, the caller learns as a problem document. */
async function openPort(connection: HostLink, port: number): Promise<PortStream> {
  const timeout = AbortSignal.timeout(OPEN_TIMEOUT_MS);
  const request = connection.openStream({
    method: 'CONNECT',
    path: HOST_ROUTES.tcp,
    headers: {
      ':protocol': TUNNEL_HTTP2.connectProtocol,
      ':scheme': 'http',
      ':authority': `127.0.0.1:${port}`,
    },
    hasBody: true,
  });
  const onTimeout = () => request.destroy();
  timeout.addEventListener('abort', onTimeout, { once: true });
  try {
    const { status, body } = await connection.respond(request, timeout);
    if (status === 200) return { request, body, close: () => request.destroy() };
    throw fromProblem(parseJsonText(await readText(body)), 'host_protocol');
  } finally {
    timeout.removeEventListener('abort', onTimeout);
  }
}
