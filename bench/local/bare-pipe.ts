/**
 * The baseline of throughput: a process that dials, as a host does, and pipes the output of a program into a bare WebSocket.
 * Started as `node bare-pipe.ts URL PROGRAM ARGUMENT…`; does it once for each line on standard input.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { WebSocket, createWebSocketStream } from 'ws';

const [url = '', program = '', ...args] = process.argv.slice(2);

for await (const _ of createInterface(process.stdin)) {
  const stream = createWebSocketStream(new WebSocket(url, { perMessageDeflate: false }));
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await pipeline(child.stdout, stream);
}
