/** The command against a bare start of Node.js. */
import type { Benchmark } from '../harness/benchmark.ts';
import { BARE_NODE, timeProgram } from '../harness/time-program.ts';
import { OMNIGENT, startCommand, waitForSuccess } from '../../scripts/omnigent/start-command.ts';
import { startServer } from '../../scripts/omnigent/start-server.ts';
import { createStateDirectory } from '../../scripts/omnigent/state-directory.ts';
import { stopEmbeddedServer } from './embedded-server.ts';

const omnigent = (...args: string[]): string[] => [process.execPath, OMNIGENT, ...args];

/** What the command itself costs. */
export const versionBenchmark: Benchmark = {
  title: 'omnigent version',
  unit: 'ms',
  baseline: 'node -e 0',
  limit: { atMost: 1.6 },
  rounds: 15,
  open: () =>
    Promise.resolve({
      takeSubject: () => timeProgram(omnigent('version')),
      takeBaseline: () => timeProgram(BARE_NODE),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
};

/** A whole sandbox with a server at hand: launched, used, removed. */
export const runBenchmark: Benchmark = {
  title: 'omnigent run -- true, server running',
  unit: 'ms',
  baseline: 'node -e 0',
  limit: { atMost: 8 },
  rounds: 12,
  open: async () => {
    await using resources = new AsyncDisposableStack();
    const state = resources.use(await createStateDirectory());
    const server = resources.use(await startServer({ stateDirectory: state.path }));
    const env = { ...process.env, OMNIGENT_STATE_DIR: state.path };
    const owned = resources.move();
    return {
      takeSubject: () => timeProgram(omnigent('run', '--server', server.url, '--', 'true'), { env }),
      takeBaseline: () => timeProgram(BARE_NODE),
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  },
};

/** A whole sandbox on a machine where nothing runs yet: the server is started, too. */
export const firstRunBenchmark: Benchmark = {
  title: 'omnigent run -- true, server to start',
  unit: 'ms',
  baseline: 'node -e 0',
  limit: { atMost: 14 },
  rounds: 8,
  open: () =>
    Promise.resolve({
      takeSubject: async () => {
        await using state = await createStateDirectory();
        const started = performance.now();
        await waitForSuccess(
          startCommand(['run', '--', 'true'], { stateDirectory: state.path }),
          'omnigent run',
        );
        const duration = performance.now() - started;
        await stopEmbeddedServer(state.path);
        return duration;
      },
      takeBaseline: () => timeProgram(BARE_NODE),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
};
