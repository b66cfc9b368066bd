import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from '../scripts/omnigent/start-server.ts';
import { createStateDirectory } from '../scripts/omnigent/state-directory.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const resources = new AsyncDisposableStack();
let env: NodeJS.ProcessEnv = {};
let stateDirectory = '';

beforeAll(async () => {
  const state = resources.use(await createStateDirectory());
  const server = resources.use(await startServer({ stateDirectory: state.path }));
  stateDirectory = state.path;
  const token = (await readFile(join(state.path, 'token'), 'utf8')).trim();
  env = { ...process.env, OMNIGENT_SERVER: server.url, OMNIGENT_TOKEN: token };
});

afterAll(() => resources.disposeAsync());

interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an example to its end. Nothing of its sandboxes may be left then. */
async function run(example: string, ...args: string[]): Promise<Outcome> {
  const outcome = await new Promise<Outcome>((resolve) => {
    const argv = ['--conditions=source', `examples/${example}.ts`, ...args];
    const child = execFile(process.execPath, argv, { cwd: root, env }, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, stdout, stderr }),
    );
  });
  expect(await readdir(join(stateDirectory, 'sandboxes'))).toEqual([]);
  return outcome;
}

test('stream-a-program passes output and exit status on', async () => {
  const outcome = await run(
    'stream-a-program',
    root,
    'sh',
    '-c',
    'ls packages/protocol/package.json; echo no >&2; exit 3',
  );
  expect(outcome).toMatchObject({ status: 3, stdout: 'packages/protocol/package.json\n' });
  expect(outcome.stderr).toMatch(/^… ready\nno\n$/m);
});

test('try-variants asks every sandbox with its own value', async () => {
  const { stdout } = await run('try-variants', 'test "$VARIANT" = blue && echo yes', 'blue', 'red');
  expect(stdout).toBe('blue: exit status 0, yes\nred: exit status 1, \n');
});

test('come-back-later reads all that was written while nobody was connected', async () => {
  const { stdout } = await run('come-back-later');
  expect(stdout.split('\n').slice(1)).toEqual(['line 1', 'line 2', 'line 3', 'line 4', 'line 5', '']);
});
