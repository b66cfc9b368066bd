/**
 * The baseline of throughput: a process that runs a program and pipes its output into a bare WebSocket.
 * Started as `node bare-pipe.ts PROGRAM ARGUMENT…`; prints its port, then runs the program once for each connection.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { WebSocketServer, createWebSocketStream } from 'ws';
import { listenOnLoopback } from '../harness/listen.ts';

const [program = '', ...args] = process.argv.slice(2);
const server = createServer();
const acceptor = new WebSocketServer({ server, perMessageDeflate: false });

acceptor.on('connection', (webSocket) => {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  void pipeline(child.stdout, createWebSocketStream(webSocket));
});

process.stdout.write(`${await listenOnLoopback(server)}\n`);
