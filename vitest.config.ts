import { defineConfig } from 'vitest/config';

const resolve = { conditions: ['source'] };
const ssr = { resolve: { conditions: ['source'], externalConditions: ['source'] } };

/**
 * Tests with real processes, networks and clusters have a second try in CI, where one rare moment must not hide all other results.
 * What needed it is named at the end of the run, with what went wrong at first: each is a fault to find.
 */
const retry = process.env.OMNIGENT_REQUIRE_ALL === '1' ? 1 : 0;

/** One project per kind of test, so that each script runs its own; cluster tests share one cluster and run one file at a time. */
export default defineConfig({
  test: {
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/**/*.test.ts'],
          testTimeout: 20_000,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'integration',
          retry,
          include: ['test/integration/**/*.test.ts', 'examples/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'contract',
          retry,
          include: ['test/contract/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'cluster',
          retry,
          include: ['test/cluster/**/*.test.ts'],
          exclude: ['test/cluster/outage/**'],
          testTimeout: 180_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'outage',
          retry,
          include: ['test/cluster/outage/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
