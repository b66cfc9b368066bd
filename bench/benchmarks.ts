/** Every benchmark there is, in the order in which they run. */
import type { Benchmark } from './harness/benchmark.ts';

import { launchBenchmark, manyLaunchesBenchmark } from './kubernetes/launch.ts';
import { loadMedianBenchmark, loadTailBenchmark } from './load/launches.ts';
import { readyBenchmark } from './kubernetes/ready.ts';

import { firstRunBenchmark, runBenchmark, versionBenchmark } from './local/command.ts';
import { copyInBenchmark, copyOutBenchmark } from './local/copy.ts';
import { execBenchmark } from './local/exec.ts';
import { dialBenchmark, memoryBenchmark } from './local/host.ts';
import { keystrokeBenchmark, slowKeystrokeBenchmark } from './local/keystroke.ts';
import { throughputBenchmark } from './local/throughput.ts';

/** Benchmarks by the group they are asked for with. */
export const BENCHMARKS: Readonly<Record<string, readonly Benchmark[]>> = {
  local: [
    versionBenchmark,
    runBenchmark,
    firstRunBenchmark,
    execBenchmark,
    throughputBenchmark,
    copyInBenchmark,
    copyOutBenchmark,
    keystrokeBenchmark,
    slowKeystrokeBenchmark,
    dialBenchmark,
    memoryBenchmark,
  ],
  load: [loadMedianBenchmark, loadTailBenchmark],
  kubernetes: [launchBenchmark, readyBenchmark, manyLaunchesBenchmark],
};
