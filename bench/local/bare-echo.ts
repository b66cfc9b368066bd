/** The other end of the bare WebSocket of `keystroke.ts`: sends back what it gets. Says its port on standard output. */
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { listenOnLoopback } from '../harness/listen.ts';

const server = createServer();
const acceptor = new WebSocketServer({ server, perMessageDeflate: false });
acceptor.on('connection', (socket) => {
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
});
process.stdout.write(`${await listenOnLoopback(server)}\n`);
