/** From a key to what it shows, through SDK, server, tunnel, host and terminal while 200 tunnels are busy, against a bare WebSocket. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AttachSession, AttachUpdate } from '@omnigent/client';
import type { Benchmark, OpenBenchmark } from '../harness/benchmark.ts';
import { openCrowd } from './crowd/open-crowd.ts';

const BUSY_TUNNELS = 200;
/** Keys of one sample. */
const KEYS = 1_000;
const ECHO = fileURLToPath(new URL('bare-echo.ts', import.meta.url));
const KEY = new TextEncoder().encode('k');

type Echo = () => Promise<void>;

/** The usual key. */
export const keystrokeBenchmark: Benchmark = {
  title: 'keystroke and its echo with 200 busy tunnels, median',
  unit: 'ms',
  baseline: 'bare WebSocket',
  limit: { atMost: 5 },
  rounds: 10,
  open: () => openEchoes(0.5),
};

/** The key that one waits for. */
export const slowKeystrokeBenchmark: Benchmark = {
  title: 'keystroke and its echo with 200 busy tunnels, slowest of a hundred',
  unit: 'ms',
  baseline: 'bare WebSocket',
  limit: { atMost: 10 },
  rounds: 10,
  open: () => openEchoes(0.99),
};

async function openEchoes(quantile: number): Promise<OpenBenchmark> {
  await using resources = new AsyncDisposableStack();
  const { sandbox } = resources.use(await openCrowd(BUSY_TUNNELS));
  // The terminal itself shows the key; the program only takes it.
  const program = sandbox.prepare(['sh', '-c', 'stty -icanon; echo ready; exec cat >/dev/null'], {
    terminal: { columns: 80, rows: 24 },
  });
  const session = resources.use(await program.attach({ offset: 0 }));
  const subject = await openTerminalEcho(session);
  const baseline = resources.use(await openBareEcho());
  const owned = resources.move();
  return {
    takeSubject: () => timeEchoes(subject, quantile),
    takeBaseline: () => timeEchoes(baseline.echo, quantile),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The quantile of {@link KEYS} round trips, one after the other, in milliseconds. */
async function timeEchoes(echo: Echo, quantile: number): Promise<number> {
  const times: number[] = [];
  for (let key = 0; key < KEYS; key += 1) {
    const started = performance.now();
    await echo();
    times.push(performance.now() - started);
  }
  return times.toSorted((a, b) => a - b)[Math.ceil(quantile * KEYS) - 1] ?? Number.NaN;
}

async function openTerminalEcho(session: AttachSession): Promise<Echo> {
  const updates = session.updates();
  await readUntil(updates, (text) => text.includes('ready'));
  return async () => {
    void session.write(KEY);
    await readUntil(updates, (text) => text.includes('k'));
  };
}

async function readUntil(
  updates: AsyncGenerator<AttachUpdate>,
  isFound: (text: string) => boolean,
): Promise<void> {
  let text = '';
  while (!isFound(text)) {
    const { value, done } = await updates.next();
    if (done === true) throw new Error('the terminal ended');
    if (value.type === 'output') text += new TextDecoder().decode(value.data);
  }
}

async function openBareEcho(): Promise<AsyncDisposable & { readonly echo: Echo }> {
  const child = spawn(process.execPath, ['--conditions=source', ECHO], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = await once(createInterface({ input: child.stdout }), 'line');
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  await once(socket, 'open');
  return {
    echo: async () => {
      const echoed = once(socket, 'message');
      socket.send(KEY);
      await echoed;
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      socket.close();
      child.kill('SIGTERM');
      await ended;
    },
  };
}
