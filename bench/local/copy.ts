/** `omnigent cp` of a tree into a sandbox and out of one, against two tars with a pipe between them. */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OMNIGENT } from '../../scripts/omnigent/start-command.ts';
import { createStateDirectory } from '../../scripts/omnigent/state-directory.ts';
import type { Benchmark, Sample } from '../harness/benchmark.ts';
import { timeProgram } from '../harness/time-program.ts';
import { openSandbox } from './sandbox.ts';

const SMALL_FILES = 1_000;
const SMALL_BYTES = 4_000;
const LARGE_FILES = 8;
const LARGE_BYTES = 32_000_000;
const MEGABYTES = (SMALL_FILES * SMALL_BYTES + LARGE_FILES * LARGE_BYTES) / 1_000_000;

/** How fast a tree goes into a sandbox. */
export const copyInBenchmark = describeCopy('in', (id, target) => ['tree', `${id}:${target}`]);

/** How fast the same tree comes out of one. */
export const copyOutBenchmark = describeCopy('out', (id, target) => [`${id}:tree`, target]);

function describeCopy(
  direction: 'in' | 'out',
  toPlaces: (id: string, target: string) => readonly string[],
): Benchmark {
  return {
    title: `cp ${direction} of ${MEGABYTES} MB in ${SMALL_FILES + LARGE_FILES} files`,
    unit: 'MB/s',
    baseline: 'tar | tar',
    limit: { atLeast: 0.5 },
    rounds: 6,
    open: async () => {
      await using resources = new AsyncDisposableStack();
      const here = resources.use(await createStateDirectory()).path;
      const { sandbox, environment } = resources.use(await openSandbox());
      await makeTree(join(here, 'tree'));
      const cp = async (...places: readonly string[]) =>
        await timeProgram([process.execPath, OMNIGENT, 'cp', ...places], {
          cwd: here,
          env: { ...process.env, ...environment },
        });
      await cp('tree', `${sandbox.id}:tree`);
      const owned = resources.move();
      const remove = async (name: string) => {
        if (direction === 'in') await sandbox.exec(['rm', '-r', name]);
        else await timeProgram(['rm', '-r', join(here, name)]);
      };
      return {
        takeSubject: async () => {
          const milliseconds = await cp(...toPlaces(sandbox.id, 'copy'));
          await remove('copy');
          return toSpeed(milliseconds);
        },
        takeBaseline: timeTar(here),
        [Symbol.asyncDispose]: () => owned.disposeAsync(),
      };
    },
  };
}

function timeTar(here: string): Sample {
  return async () => {
    const script = 'mkdir tar && tar -cf - -C tree . | tar -xpf - -C tar';
    const milliseconds = await timeProgram(['sh', '-c', script], { cwd: here });
    await timeProgram(['rm', '-r', join(here, 'tar')]);
    return toSpeed(milliseconds);
  };
}

const toSpeed = (milliseconds: number) => (MEGABYTES * 1000) / milliseconds;

async function makeTree(path: string): Promise<void> {
  await mkdir(join(path, 'small'), { recursive: true });
  for (let index = 0; index < SMALL_FILES; index += 1)
    await writeFile(join(path, 'small', String(index)), randomBytes(SMALL_BYTES));
  for (let index = 0; index < LARGE_FILES; index += 1)
    await writeFile(join(path, String(index)), randomBytes(LARGE_BYTES));
}
