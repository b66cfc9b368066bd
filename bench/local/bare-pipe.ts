/**
 * The baseline of throughput: a process that sends bytes over a bare WebSocket as fast as it can.
 * Started as `node bare-pipe.ts BYTES`; prints its port, serves each connection BYTES and closes it.
 */
import { createServer } from 'node:http';
import { WebSocketServer, createWebSocketStream } from 'ws';
import { listenOnLoopback } from '../harness/listen.ts';

const CHUNK = Buffer.alloc(64 * 1024, 'x');
const size = Number(process.argv[2]);
const server = createServer();
const acceptor = new WebSocketServer({ server, perMessageDeflate: false });

acceptor.on('connection', (webSocket) => {
  const stream = createWebSocketStream(webSocket);
  let left = size;
  const send = (): void => {
    while (left > 0) {
      const chunk = left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK;
      left -= chunk.length;
      if (!stream.write(chunk)) return void stream.once('drain', send);
    }
    stream.end();
  };
  send();
});

process.stdout.write(`${await listenOnLoopback(server)}\n`);
