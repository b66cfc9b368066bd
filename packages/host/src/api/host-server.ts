/** The host's HTTP/2 server, which gets its connections from the tunnel instead of a port. */
import { createServer } from 'node:http2';
import type { Http2Server } from 'node:http2';
import { TUNNEL_HTTP2 } from '@omnigent/protocol';
import { Exchange } from './exchange.ts';

/** Creates the server; hand it a connection with `emit('connection', duplex)`. */
export function createHostServer(answer: (exchange: Exchange) => Promise<void>): Http2Server {
  const server = createServer({
    maxSessionMemory: TUNNEL_HTTP2.maxSessionMemoryMiB,
    maxHeaderListPairs: 64,
    settings: {
      enableConnectProtocol: true,
      initialWindowSize: TUNNEL_HTTP2.initialWindowSize,
      maxConcurrentStreams: TUNNEL_HTTP2.maxConcurrentStreams,
      maxFrameSize: TUNNEL_HTTP2.maxFrameSize,
      maxHeaderListSize: 64 * 1024,
    },
  });
  server.on('session', (session) => {
    session.setLocalWindowSize(TUNNEL_HTTP2.connectionWindowSize);
    // A session that fails is ended by Node.js itself; the tunnel dials again.
    session.on('error', () => undefined);
  });
  server.on('sessionError', () => undefined);
  server.on('stream', (stream, headers) => void answer(new Exchange(stream, headers)));
  return server;
}
