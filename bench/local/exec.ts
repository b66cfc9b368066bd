/** One program in a sandbox, through SDK, server and tunnel, against the same program started directly. */
import type { Benchmark } from '../harness/benchmark.ts';
import { timeProgram } from '../harness/time-program.ts';
import { openSandbox } from './sandbox.ts';

/** The round trip of a program that does nothing. */
export const execBenchmark: Benchmark = {
  title: 'exec true in a sandbox',
  unit: 'ms',
  baseline: 'spawn true',
  limit: { atMost: 3 },
  rounds: 60,
  open: async () => {
    const { sandbox, ...open } = await openSandbox();
    return {
      ...open,
      takeSubject: async () => {
        const started = performance.now();
        const { exitCode } = await sandbox.exec(['true']);
        if (exitCode !== 0) throw new Error(`true was expected to exit with 0; it exited with ${exitCode}`);
        return performance.now() - started;
      },
      takeBaseline: () => timeProgram(['true']),
    };
  },
};
