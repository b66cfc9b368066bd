/** Launches on a cluster against the same Pods made bare. */
import type { Benchmark, OpenBenchmark } from '../harness/benchmark.ts';
import { pickPod, removeBarePods, runBarePod } from './bare-pods.ts';
import { SMALL } from '../../test/cluster/harness/installation.ts';
import { ORDINARY_RESOURCES, openBenchCluster } from './cluster.ts';

/** One sandbox from the request until it is ready. */
export const launchBenchmark: Benchmark = {
  title: 'launch on Kubernetes until ready',
  unit: 'ms',
  baseline: 'create and watch the Pod',
  limit: { atMost: 1.25 },
  rounds: 12,
  open: () => openLaunches(1, ORDINARY_RESOURCES),
};

/** Twenty at once, until the last one is ready. */
export const manyLaunchesBenchmark: Benchmark = {
  title: '20 launches at once on Kubernetes',
  unit: 'ms',
  baseline: '20 Pods at once',
  limit: { atMost: 1.15 },
  rounds: 4,
  open: () => openLaunches(20, SMALL),
};

async function openLaunches(count: number, resources: object): Promise<OpenBenchmark> {
  const { client, cluster, ...open } = await openBenchCluster(resources);
  const template = pickPod((await client.plan({})).manifests);
  const times = Array.from({ length: count });
  return {
    ...open,
    takeSubject: async () => {
      const started = performance.now();
      const sandboxes = await Promise.all(times.map(() => client.launch({})));
      const duration = performance.now() - started;
      await Promise.all(sandboxes.map((sandbox) => sandbox.terminate()));
      return duration;
    },
    takeBaseline: async () => {
      const started = performance.now();
      const names = await Promise.all(times.map(() => runBarePod(cluster, template)));
      const duration = performance.now() - started;
      await removeBarePods(cluster, names);
      return duration;
    },
  };
}
