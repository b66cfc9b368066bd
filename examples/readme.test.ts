import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../scripts/omnigent/start-server.ts';
import { createStateDirectory } from '../scripts/omnigent/state-directory.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Step {
  readonly command: string;
  readonly output: string;
}

/** The sessions of a page: each block's commands with the output that it shows. */
function extractSessions(markdown: string): Step[][] {
  return [...markdown.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => ({
        command: step.slice(0, step.indexOf('\n')),
        output: step.slice(step.indexOf('\n') + 1),
      })),
  );
}

/** Durations and the place of the checkout differ from run to run. */
function normalize(output: string): string {
  return output.replaceAll(/\d+\.\d s\b/g, 'N s').replaceAll(/(?<=cannot clone )\S+(?=:)/g, 'PATH');
}

function run(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', `${command} 2>&1`], { cwd: root, env }, (_error, output) => resolve(output));
  });
}

const sessions = extractSessions(await readFile(`${root}README.md`, 'utf8'));
const resources = new AsyncDisposableStack();
let env: NodeJS.ProcessEnv = {};

beforeAll(async () => {
  const state = resources.use(await createStateDirectory());
  const server = resources.use(await startServer({ stateDirectory: state.path }));
  env = { ...process.env, OMNIGENT_STATE_DIR: state.path, OMNIGENT_SERVER: server.url };
});

afterAll(() => resources.disposeAsync());

describe('the README', () => {
  test('shows sessions', () => {
    expect(sessions.flat().length).toBeGreaterThanOrEqual(5);
  });

  test.each(sessions.map((steps) => [steps[0]?.command, steps] as const))(
    'shows the true output of %s',
    async (_, steps) => {
      for (const { command, output } of steps)
        expect(normalize(await run(command, env))).toBe(normalize(output));
    },
  );
});
