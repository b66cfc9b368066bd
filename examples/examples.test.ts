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

test('preview-server reads the page of the sandbox, and has an address for a browser', async () => {
  const { stdout, stderr } = await run('preview-server');
  expect(stdout).toBe('200 <h1>Hello from a sandbox</h1>\n');
  expect(stderr).toMatch(/^open http:\/\/\d+--s[0-9a-z]{12}\.localhost:\d+\/\?omnigent-ticket=\S+\n$/);
});

test('test-shards tells of each shard, and fails when one fails', async () => {
  const program = 'echo part $SHARD of $SHARDS; test -f package.json && test $SHARD != 2';
  const outcome = await run('test-shards', root, '3', program);
  expect(outcome.status).toBe(1);
  expect(outcome.stdout).toBe(
    'shard 1/3: passed\npart 1 of 3\nshard 2/3: failed with 1\npart 2 of 3\nshard 3/3: passed\npart 3 of 3\n',
  );
});

test('agent-loop corrects itself by what it reads', async () => {
  const { stdout } = await run('agent-loop');
  expect(stdout.split('\n')).toEqual([
    'write add.py: written',
    'python3 -B test.py: exit status 1: AssertionError: add(2, 3) is -1',
    'write add.py: written',
    'python3 -B test.py: exit status 0: ok',
    'done after 4 steps: exit status 0: ok',
    '',
  ]);
});

test('notebook-session keeps its variables from one connection to the next', async () => {
  const { stdout } = await run('notebook-session');
  expect(stdout).toBe('1: \n2: 21\n3: ZeroDivisionError: division by zero\n4: still 42\n');
});
