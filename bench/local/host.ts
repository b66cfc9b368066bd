/** The host against a bare Node.js. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Benchmark, Sample } from '../harness/benchmark.ts';
import { readResidentMiB } from '../harness/process-facts.ts';
import { BARE_NODE, timeProgram } from '../harness/time-program.ts';
import { createStateDirectory } from '../../scripts/omnigent/state-directory.ts';
import { acceptHost } from './host-acceptor.ts';
import type { AcceptedHost } from './host-acceptor.ts';

/** Samples of a host that finds its compiled code, as image and local provider start it. */
async function openHosts(sample: (host: AcceptedHost) => number | Promise<number>, takeBaseline: Sample) {
  const cache = await createStateDirectory();
  const takeSubject = async () => {
    await using host = await acceptHost(cache.path);
    return await sample(host);
  };
  // Compiles once.
  await takeSubject();
  return { takeSubject, takeBaseline, [Symbol.asyncDispose]: () => cache[Symbol.asyncDispose]() };
}

/** How long a host takes to ask for its tunnel. */
export const dialBenchmark: Benchmark = {
  title: 'host dials back',
  unit: 'ms',
  baseline: 'node -e 0',
  limit: { atMost: 2.5 },
  rounds: 12,
  open: () =>
    openHosts(
      ({ dialMs }) => dialMs,
      () => timeProgram(BARE_NODE),
    ),
};

/** What a connected host that has answered requests keeps resident. */
export const memoryBenchmark: Benchmark = {
  title: 'resident memory of a host',
  unit: 'MiB',
  baseline: 'idle node',
  limit: { atMost: 1.5 },
  rounds: 6,
  open: () => openHosts(({ pid }) => readResidentMiB(pid), readBareNodeMiB),
};

/** Memory of a Node.js that has started, written a line and waits. */
async function readBareNodeMiB(): Promise<number> {
  const program = "setInterval(() => {}, 60_000); process.stdout.write('ready')";
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  const resident = await readResidentMiB(child.pid ?? 0);
  child.kill('SIGKILL');
  await ended;
  return resident;
}
