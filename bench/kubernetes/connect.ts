/**
 * How long a container takes from its first process until its host is connected, against a bare Node.js in the same image. What the
 * kubelet takes to report the container is not in it.
 */
import type { SandboxHandle } from '@omnigent/client';
import { findCondition } from '@omnigent/protocol';
import type { Benchmark } from '../harness/benchmark.ts';
import { openBenchCluster } from './cluster.ts';

/** Uptime of the machine in seconds, start of process 1 in ticks of 10 ms, wall-clock time in nanoseconds. */
const READ_START = 'cut -d" " -f1 /proc/uptime; cut -d" " -f22 /proc/1/stat; date +%s%N';

const TIME_NODE = 's=$(date +%s%N); node -e 0; e=$(date +%s%N); echo $((e - s))';

/** From process 1 to the connection. */
export const connectBenchmark: Benchmark = {
  title: 'container started until connected',
  unit: 'ms',
  baseline: 'node -e 0 in the same image',
  limit: { atMost: 6 },
  rounds: 10,
  open: async () => {
    const { client, cluster: _, ...open } = await openBenchCluster();
    let last: SandboxHandle | undefined;
    return {
      takeSubject: async () => {
        await using sandbox = await client.launch({});
        return readConnectTime(sandbox) - (await readStartTime(sandbox));
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

/** When the host was connected, in milliseconds since 1970. */
function readConnectTime({ resource }: SandboxHandle): number {
  const connected = findCondition(resource.conditions, 'HostConnected');
  if (connected?.status !== 'True') throw new Error('expected a sandbox whose host is connected');
  return Date.parse(connected.last_transition_time);
}

/** When process 1 of the container started, in milliseconds since 1970; node and server share the machine's clock. */
async function readStartTime(sandbox: SandboxHandle): Promise<number> {
  const { stdout } = await sandbox.exec(['sh', '-c', READ_START]);
  const [uptimeSeconds = 0, startTicks = 0, nowNs = 0] = stdout.split('\n').map(Number);
  return nowNs / 1e6 - (uptimeSeconds * 1000 - startTicks * 10);
}
