/** `GET /v1/sandboxes/{id}/ports/{port}/connect`: refuses before the upgrade, then carries one TCP connection. */
import { FORWARD_SUBPROTOCOL, MAX_FORWARD_MESSAGE_BYTES, SandboxError } from '@omnigent/protocol';
import { WebSocketServer } from 'ws';
import type { ApiContext } from '../api/context.ts';
import { openPort } from '../forward/open-port.ts';
import { admitCaller, findCallable } from '../forward/public-call.ts';
import type { Upgrade } from '../tunnel/upgrade.ts';
import { bridgePort } from './bridge-port.ts';

export const PORT_PATTERN = /^\/v1\/sandboxes\/([^/]+)\/ports\/([^/]+)\/connect$/;

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
    const { connections, touch } = this.#context;
    const { owner } = admitCaller(request, this.#context, FORWARD_SUBPROTOCOL);
    const port = parsePort(portText);
    const record = await findCallable(this.#context, owner, sandbox);
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
