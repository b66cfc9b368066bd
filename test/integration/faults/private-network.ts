/** A server that is reached only by TLS of a private CA, and through a proxy that asks for a password. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { SecureContextOptions } from 'node:tls';

/** An address of documentation, which leads nowhere but through the proxy. */
export const HIDDEN_ADDRESS = '192.0.2.1';

export interface PrivateNetwork extends AsyncDisposable {
  /** The server's address beyond the proxy. */
  readonly url: string;
  /** The proxy's, with name and password. */
  readonly proxyUrl: string;
  /** How often the proxy let somebody through, and how often it did not. */
  readonly counts: { passed: number; refused: number };
  /** Where the server listens in plain text. */
  target: number;
  /** Shows another certificate from now on, and cuts what is open. */
  showCertificate(certificate: SecureContextOptions): void;
}

function join(near: Socket, far: Socket): void {
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
    one.pipe(other);
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

export async function startPrivateNetwork(certificate: SecureContextOptions): Promise<PrivateNetwork> {
  const state = { target: 0, counts: { passed: 0, refused: 0 } };
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
  };
  const front = createTlsServer(certificate, (near) => join(near, connect(state.target, '127.0.0.1')));
  front.on('connection', keep);
  front.on('tlsClientError', () => undefined);
  const frontPort = await listen(front);
  const expected = `Basic ${Buffer.from('team:p@ss:word').toString('base64')}`;
  const proxy = createHttpServer((_request, response) => response.writeHead(405).end());
  proxy.on('connection', keep);
  proxy.on('connect', (request, near: Socket, head) => {
    const isKnown = request.headers['proxy-authorization'] === expected;
    state.counts[isKnown ? 'passed' : 'refused'] += 1;
    if (!isKnown) return near.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const far = connect(frontPort, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      far.write(head);
      join(near, far);
    });
    far.on('error', () => near.destroy());
  });
  const proxyPort = await listen(proxy);
  return {
    url: `https://${HIDDEN_ADDRESS}:8443`,
    proxyUrl: `http://team:${encodeURIComponent('p@ss:word')}@127.0.0.1:${proxyPort}`,
    counts: state.counts,
    get target() {
      return state.target;
    },
    set target(port) {
      state.target = port;
    },
    showCertificate(next) {
      front.setSecureContext(next);
      for (const socket of open) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      front.close();
      proxy.close();
      for (const socket of open) socket.destroy();
    },
  };
}
