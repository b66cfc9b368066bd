/** The bundled server describes its API as its sources do: schemas are built later there, and must be the same schemas. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startTestServer } from './server-harness/test-server.ts';

const BUNDLE = fileURLToPath(new URL('../../packages/cli/dist/server/main.js', import.meta.url));

async function describeBundle(): Promise<unknown> {
  const state = await mkdtemp(join(tmpdir(), 'omnigent-openapi-'));
  const child = spawn(process.execPath, [BUNDLE, '--embedded', '--state-dir', state], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { url } = JSON.parse(line.toString('utf8')) as { url: string };
    return await (await fetch(`${url}/openapi.json`)).json();
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(state, { recursive: true, force: true });
  }
}

it('the bundled server has the OpenAPI description of its sources', async () => {
  await using source = await startTestServer();
  const described = (await (await source.call('GET', '/openapi.json')).json()) as { paths: object };
  expect(Object.keys(described.paths)).toContain('/v1/sandboxes');
  expect(await describeBundle()).toEqual(described);
});
