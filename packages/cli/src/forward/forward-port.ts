/** One port of this machine that leads into a sandbox. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { PortConnection, SandboxHandle } from '@omnigent/client';
import { SandboxError, toErrorMessage } from '@omnigent/protocol';
import type { PortPair } from '../arguments/ports.ts';

export interface ForwardOptions {
  readonly pair: PortPair;
  /** Addresses of this machine to listen on. */
  readonly addresses: readonly string[];
  readonly note: (text: string) => void;
}

/** Ports that listen. */
export interface Forwarding extends AsyncDisposable {
  /** The port of this machine. */
  readonly port: number;
  readonly addresses: readonly string[];
}

/** Listens; each connection goes to the sandbox. @throws SandboxError `usage` when the port cannot be had. */
export async function forwardPort(sandbox: SandboxHandle, options: ForwardOptions): Promise<Forwarding> {
  const { pair, addresses, note } = options;
  const open = new Set<Socket>();
  const servers: Server[] = [];
  let port = pair.local;
  for (const address of addresses) {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      carry(sandbox, socket, pair.remote).catch((error: unknown) =>
        note(`port ${pair.remote}: ${toErrorMessage(error)}`),
      );
    });
    const isFirst = servers.length === 0;
    try {
      port = await listen(server, { address, port });
      servers.push(server);
    } catch (error) {
      // A machine may have no IPv6; the address that was asked for first it must have.
      if (isFirst) throw error;
    }
  }
  return {
    port,
    addresses: servers.map((server) => toAddress(server)),
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

async function listen(
  server: Server,
  place: { readonly address: string; readonly port: number },
): Promise<number> {
  const { address, port } = place;
  server.listen({ host: address, port, ipv6Only: address.includes(':') });
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new SandboxError('usage', `cannot listen on ${address} port ${port}: ${toErrorMessage(cause)}`, {
      cause,
    });
  }
  server.on('error', () => undefined);
  return (server.address() as AddressInfo).port;
}

function toAddress(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Carries one connection to its end; what breaks on one side breaks on the other. */
async function carry(sandbox: SandboxHandle, socket: Socket, remote: number): Promise<void> {
  socket.pause();
  try {
    await using connection = await sandbox.connect(remote);
    socket.on('error', () => connection.close());
    socket.once('close', (hadError) => hadError && connection.close());
    await Promise.all([sendUp(socket, connection), sendDown(socket, connection)]);
  } catch (error) {
    socket.resetAndDestroy();
    throw error;
  }
}

async function sendUp(socket: Socket, connection: PortConnection): Promise<void> {
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
    await connection.write(chunk);
  connection.end();
}

async function sendDown(socket: Socket, connection: PortConnection): Promise<void> {
  for await (const chunk of connection.chunks())
    if (!socket.write(chunk) && !socket.destroyed)
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  socket.end();
}
