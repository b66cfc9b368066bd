/**
 * The baseline of throughput: a process that dials, as a host does, and pipes the output of a program into a bare WebSocket.
 * Started as `node bare-pipe.ts URL PROGRAM ARGUMENT…`; does it once for each line on standard input.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { WebSocket, createWebSocketStream } from 'ws';
import type { ClientOptions } from 'ws';

const [url = '', program = '', ...args] = process.argv.slice(2);

for await (const _ of createInterface(process.stdin)) {
  // Masking in JavaScript would be most of what is measured.
  const options: ClientOptions = { perMessageDeflate: false, generateMask: (mask) => void mask.fill(0) };
  const stream = createWebSocketStream(new WebSocket(url, options));
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await pipeline(child.stdout, stream);
}
