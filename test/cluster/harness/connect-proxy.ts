/** An HTTP proxy that knows CONNECT and nothing else, and remembers where it led. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface ConnectProxy extends AsyncDisposable {
  readonly url: string;
  /** `10.244.0.1:443`, in order. */
  readonly destinations: readonly string[];
}

export async function startConnectProxy(address: string): Promise<ConnectProxy> {
  const destinations: string[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', keep);
  server.on('connect', (request, inbound: Socket, head) => {
    destinations.push(request.url ?? '');
    const { hostname, port } = new URL(`http://${request.url}`);
    const outbound = connect(Number(port), hostname, () => {
      inbound.write('HTTP/1.1 200 Connection established\r\n\r\n');
      outbound.write(head);
      inbound.pipe(outbound).pipe(inbound);
    });
    keep(outbound);
    outbound.on('close', () => inbound.destroy());
    inbound.on('close', () => outbound.destroy());
  });
  server.listen(0, address);
  await once(server, 'listening');
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    destinations,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
