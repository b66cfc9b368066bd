/** One TCP connection to a port of the sandbox, over the stream of an extended CONNECT. */
import { constants } from 'node:http2';
import type { ServerHttp2Stream } from 'node:http2';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { SandboxError, TUNNEL_HTTP2, toErrorMessage } from '@omnigent/protocol';
import type { Exchange } from '../api/exchange.ts';
import { listPorts } from './list-ports.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Answers the CONNECT; resolves when the connection stands. */
export async function connectPort(exchange: Exchange, bootId: string): Promise<void> {
  const port = parsePort(exchange);
  const socket = await openSocket(await resolveAddress(port, bootId), port);
  const { stream } = exchange;
  if (stream.destroyed) return void socket.destroy();
  stream.respond({ ':status': 200 });
  bridge(stream, socket);
}

function parsePort({ headers }: Exchange): number {
  const authority = String(headers[':authority'] ?? '');
  const port = Number(/^127\.0\.0\.1:(\d{1,5})$/.exec(authority)?.[1]);
  if (headers[':protocol'] !== TUNNEL_HTTP2.connectProtocol || !(port >= 1 && port <= 65_535))
    throw new SandboxError(
      'invalid_request',
      `expected ${TUNNEL_HTTP2.connectProtocol} to 127.0.0.1:PORT, found ${JSON.stringify(authority)}`,
    );
  return port;
}

/** Where a process of the sandbox listens on the port. @throws SandboxError `port_not_listening`. */
async function resolveAddress(port: number, bootId: string): Promise<string> {
  const addresses = (await listPorts(bootId))
    .filter((listed) => listed.port === port)
    .map(({ address }) => address);
  const [only] = addresses;
  if (only === undefined)
    throw new SandboxError('port_not_listening', `nothing in the sandbox listens on port ${port}`);
  if (addresses.some((address) => address === '127.0.0.1' || address === '0.0.0.0')) return '127.0.0.1';
  return addresses.includes('::1') || addresses.includes('::') ? '::1' : only;
}

function openSocket(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const fail = (cause: unknown) => {
      socket.destroy();
      const reason = toErrorMessage(cause);
      reject(new SandboxError('port_not_listening', `cannot connect to port ${port}: ${reason}`, { cause }));
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => fail(new Error('the connection was not accepted in time')));
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

/**
 * Each way at the pace of its reader and with an end of its own; a reset goes through as a reset. `close` with a code would end the
 * stream in order first.
 */
function bridge(stream: ServerHttp2Stream, socket: Socket): void {
  socket.on('error', (error) => stream.destroy(error));
  stream.on('error', () => socket.resetAndDestroy());
  stream.once('close', () => {
    if (stream.rstCode === constants.NGHTTP2_NO_ERROR && socket.writableEnded) return;
    socket.resetAndDestroy();
  });
  stream.pipe(socket);
  socket.pipe(stream);
}
