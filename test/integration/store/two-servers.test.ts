/** Two server processes on one PostgreSQL: neither takes what the other works on, and either ends what the other began. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '@omnigent/client';
import type { Client } from '@omnigent/client';
import { hasCondition } from '@omnigent/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPostgres, startPostgres } from './private-postgres.ts';
import type { PrivatePostgres } from './private-postgres.ts';

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/omnigent.js', import.meta.url));
const programs = await findPostgres();

interface Server {
  readonly client: Client;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

let postgres: PrivatePostgres | undefined;
let directory = '';
beforeAll(async () => {
  if (programs === undefined) return;
  postgres = await startPostgres(programs);
  directory = await mkdtemp(join(tmpdir(), 'omnigent-two-'));
});
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]();
  if (directory !== '') await rm(directory, { recursive: true, force: true });
});

async function startServer(name: string): Promise<Server> {
  const state = join(directory, name);
  const args = ['server', '--state-dir', state, '--database-url', postgres?.url ?? ''];
  const process_ = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(createInterface({ input: process_.stdout }), 'line')) as [string];
  const token = (await readFile(join(state, 'token'), 'utf8')).trim();
  return {
    client: createClient({ url: (JSON.parse(line) as { url: string }).url, token }),
    process: process_,
    async stop() {
      const ended = once(process_, 'exit');
      process_.kill('SIGCONT');
      process_.kill('SIGTERM');
      await ended;
    },
  };
}

describe.skipIf(programs === undefined)('two servers on one database', () => {
  it('do not take a launch for interrupted while its server lives', async () => {
    const first = await startServer('first');
    const launched = await first.client.create({ name: 'slow' });
    // In the middle of the launch, for as long as the other one needs to look around.
    first.process.kill('SIGSTOP');
    const second = await startServer('second');
    const seen = await second.client.get(launched.id);
    expect(hasCondition(seen.resource.conditions, 'Finished')).toBe(false);
    first.process.kill('SIGCONT');
    await launched.whenReady();
    expect((await seen.refresh()).diagnosis).toBeNull();
    expect((await launched.exec(['echo', 'here'])).stdout).toBe('here\n');
    expect(await launched.terminate()).toBe(true);
    await first.stop();
    await second.stop();
  });

  it('end a sandbox that either is asked to end', async () => {
    const first = await startServer('first');
    const second = await startServer('second');
    const sandbox = await first.client.launch({});
    const seen = await second.client.get(sandbox.id);
    // What one has started on its machine the other cannot reach: it says so and leaves it to the one that can.
    expect(await seen.terminate({ waitSeconds: 1 })).toBe(false);
    await expect.poll(async () => (await first.client.list()).items, { timeout: 60_000 }).toEqual([]);
    expect(await readdir(join(directory, 'first', 'sandboxes'))).toEqual([]);
    await first.stop();
    await second.stop();
  });
});
