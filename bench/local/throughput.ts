/** Output of a program through host, tunnel, server and SDK, against the same program's over a bare WebSocket between two processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { SandboxHandle } from '@omnigent/client';
import { LOG_STREAM } from '@omnigent/protocol';
import { WebSocketServer, createWebSocketStream } from 'ws';
import type { Benchmark } from '../harness/benchmark.ts';
import { listenOnLoopback } from '../harness/listen.ts';
import { openSandbox } from './sandbox.ts';

const SIZE_BYTES = 200_000_000;
const PROGRAM = ['head', '-c', String(SIZE_BYTES), '/dev/zero'];
const PIPE = fileURLToPath(new URL('bare-pipe.ts', import.meta.url));

/** How fast output arrives at a client that only counts it. */
export const throughputBenchmark: Benchmark = {
  title: 'output of a program, 200 MB',
  unit: 'MB/s',
  baseline: 'bare WebSocket',
  limit: { atLeast: 0.4 },
  rounds: 6,
  open: async () => {
    await using resources = new AsyncDisposableStack();
    const { sandbox } = resources.use(await openSandbox());
    const pipe = resources.use(await startPipe());
    const owned = resources.move();
    return {
      takeSubject: () => timeBytes(() => countOutput(sandbox)),
      takeBaseline: () => timeBytes(() => pipe.count()),
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  },
};

/** Megabytes each second of what counts {@link SIZE_BYTES}. */
async function timeBytes(count: () => Promise<number>): Promise<number> {
  const started = performance.now();
  const bytes = await count();
  if (bytes !== SIZE_BYTES) throw new Error(`expected ${SIZE_BYTES} bytes, found ${bytes}`);
  return bytes / 1000 / (performance.now() - started);
}

async function countOutput(sandbox: SandboxHandle): Promise<number> {
  const program = sandbox.prepare(PROGRAM);
  let bytes = 0;
  for await (const { stream, data } of program.output())
    if (stream === LOG_STREAM.stdout) bytes += data.length;
  return bytes;
}

interface Pipe extends AsyncDisposable {
  /** Has the other process run the program once and counts what arrives. */
  count(): Promise<number>;
}

async function startPipe(): Promise<Pipe> {
  const server = createServer();
  const acceptor = new WebSocketServer({ server, perMessageDeflate: false });
  const port = await listenOnLoopback(server);
  const args = ['--conditions=source', PIPE, `ws://127.0.0.1:${port}`, ...PROGRAM];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'] });
  return {
    count: async () => {
      const connected = once(acceptor, 'connection');
      child.stdin.write('\n');
      const [webSocket] = await connected;
      let bytes = 0;
      for await (const chunk of createWebSocketStream(webSocket)) bytes += chunk.length;
      return bytes;
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'close');
      child.stdin.end();
      await ended;
      server.close();
    },
  };
}
