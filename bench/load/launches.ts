/** Many launches on a fake API server against the same Pods created and watched and nothing more. */
import type { LaunchRequest, SandboxLauncher } from '@omnigent/launcher';
import { systemRandomBytes } from '@omnigent/protocol';
import type { Benchmark, OpenBenchmark } from '../harness/benchmark.ts';
import { pickQuantile } from '../harness/statistics.ts';
import { pickPod, removeBarePods, runBarePod } from '../kubernetes/bare-pods.ts';
import { openFakeCluster } from './fake-cluster.ts';
import type { FakeCluster } from './fake-cluster.ts';

const LAUNCHES = 500;
const PARALLEL = 50;
const ROUNDS = 10;

/** Half of all launches are quicker than this. */
export const loadMedianBenchmark = buildBenchmark('median', 0.5);
/** One launch in a hundred is slower than this. */
export const loadTailBenchmark = buildBenchmark('p99', 0.99);

function buildBenchmark(name: string, quantile: number): Benchmark {
  return {
    title: `${name} of ${LAUNCHES * ROUNDS} launches, ${PARALLEL} at a time, on a fake API server`,
    unit: 'ms',
    baseline: 'create and watch the Pod',
    // A launch writes three objects where the baseline writes one.
    limit: { atMost: 3 },
    rounds: ROUNDS,
    open: () => openLoad(quantile),
  };
}

/** Does it `LAUNCHES` times, `PARALLEL` at a time; the quantile of what each took. */
async function takeQuantile(
  quantile: number,
  launch: () => Promise<string>,
  names: string[],
): Promise<number> {
  const durations: number[] = [];
  let left = LAUNCHES;
  const work = async () => {
    while (left-- > 0) {
      const began = performance.now();
      names.push(await launch());
      durations.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return pickQuantile(durations, quantile);
}

function buildRequest(index: number): LaunchRequest {
  return {
    sandboxId: `s${index}`,
    hostId: `h${String(index).padStart(12, '0')}`,
    hostName: 'load',
    token: Buffer.from(systemRandomBytes(32)).toString('base64url'),
    serverUrl: 'http://server.invalid/',
    repositories: [],
    owner: 'load',
    env: {},
    lifetimeSeconds: 600,
  };
}

const signal = AbortSignal.timeout(600_000);

async function launch(launcher: SandboxLauncher, index: number): Promise<string> {
  const id = await launcher.provision('load', { signal });
  await launcher.startHost(id, buildRequest(index), { signal, onStage: () => undefined });
  return id;
}

async function openLoad(quantile: number): Promise<OpenBenchmark> {
  const cluster: FakeCluster = await openFakeCluster();
  const { launcher, bare } = cluster;
  const plan = await launcher.plan(buildRequest(0), { signal, dryRun: 'none' });
  const template = pickPod(plan.manifests);
  let count = 0;
  return {
    takeSubject: async () => {
      const names: string[] = [];
      const duration = await takeQuantile(quantile, () => launch(launcher, (count += 1)), names);
      await Promise.all(names.map((name) => launcher.terminate(name, { signal })));
      return duration;
    },
    takeBaseline: async () => {
      const names: string[] = [];
      const duration = await takeQuantile(quantile, () => runBarePod(bare, template), names);
      await removeBarePods(bare, names);
      return duration;
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
