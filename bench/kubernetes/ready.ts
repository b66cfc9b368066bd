/** How long a sandbox takes from the report that its container runs until it is ready, against a bare Node.js in the same image. */
import type { SandboxHandle } from '@omnigent/client';
import type { Stage } from '@omnigent/protocol';
import type { Benchmark } from '../harness/benchmark.ts';
import { openBenchCluster } from './cluster.ts';

const TIME_NODE = 's=$(date +%s%N); node -e 0; e=$(date +%s%N); echo $((e - s))';

/** From the stage `connecting`, which begins with the report, to `ready`. */
export const readyBenchmark: Benchmark = {
  title: 'container running until ready',
  unit: 'ms',
  baseline: 'node -e 0 in the same image',
  limit: { atMost: 6 },
  rounds: 12,
  open: async () => {
    const { client, cluster: _, ...open } = await openBenchCluster();
    let last: SandboxHandle | undefined;
    return {
      takeSubject: async () => {
        await using sandbox = await client.launch({});
        return readStageTime(sandbox, 'ready') - readStageTime(sandbox, 'connecting');
      },
      takeBaseline: async () => {
        last ??= await client.launch({});
        const { stdout } = await last.exec(['sh', '-c', TIME_NODE]);
        return Number(stdout) / 1e6;
      },
      [Symbol.asyncDispose]: async () => {
        await last?.terminate();
        await open[Symbol.asyncDispose]();
      },
    };
  },
};

/** When a stage of the launch began, in milliseconds since 1970. */
function readStageTime({ resource }: SandboxHandle, name: Stage): number {
  const record = resource.stages.find(({ stage }) => stage === name);
  if (record === undefined) throw new Error(`expected a launch with the stage ${name}`);
  return Date.parse(record.at);
}
