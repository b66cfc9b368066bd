/** The server on SQLite and on PostgreSQL: the same schema, the same answers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '@omnigent/client';
import type { Client } from '@omnigent/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPostgres, startPostgres } from './private-postgres.ts';

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/omnigent.js', import.meta.url));
const programs = await findPostgres();

interface Database {
  readonly url: string | undefined;
  readonly resources: AsyncDisposableStack;
}

async function openPostgres(): Promise<Database> {
  const resources = new AsyncDisposableStack();
  const postgres = resources.use(await startPostgres(programs ?? ''));
  return { url: postgres.url, resources };
}

const DATABASES: readonly (readonly [string, boolean, () => Promise<Database>])[] = [
  ['SQLite', true, async () => ({ url: undefined, resources: new AsyncDisposableStack() })],
  ['PostgreSQL', programs !== undefined, openPostgres],
];

/** Starts a server process on a database and stops it again. */
async function startServer(
  directory: string,
  database: Database,
): Promise<{ client: Client; stop: () => Promise<void> }> {
  const url = database.url === undefined ? [] : ['--database-url', database.url];
  const server = spawn(process.execPath, [COMMAND, 'server', '--state-dir', directory, ...url], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const token = (await readFile(join(directory, 'token'), 'utf8')).trim();
  return {
    client: createClient({ url: (JSON.parse(line) as { url: string }).url, token }),
    stop: async () => {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      expect((await ended)[0]).toBe(0);
    },
  };
}

describe.each(DATABASES)('a server on %s', (_name, isInstalled, open) => {
  let database: Database;
  let directory: string;
  beforeAll(async () => {
    if (!isInstalled) return;
    database = await open();
    directory = await mkdtemp(join(tmpdir(), 'omnigent-store-'));
  });
  afterAll(async () => {
    if (!isInstalled) return;
    await rm(directory, { recursive: true, force: true });
    await database.resources.disposeAsync();
  });

  it.skipIf(!isInstalled)(
    'launches, lists, keeps a sandbox over a restart, and forgets it when it is gone',
    async () => {
      const first = await startServer(directory, database);
      const sandbox = await first.client.launch({ name: 'kept', labels: { team: 'a' } });
      await expect(first.client.create({ name: 'kept' })).rejects.toMatchObject({ code: 'sandbox_exists' });
      const program = sandbox.prepare('sleep 3; echo done');
      await program.ensureStarted();
      await first.stop();

      const second = await startServer(directory, database);
      const found = await second.client.get('kept');
      expect(found.id).toBe(sandbox.id);
      const output: string[] = [];
      for await (const { stream, data } of found.process(program.id).output())
        if (stream === 1) output.push(Buffer.from(data).toString());
      expect(output).toEqual(['done\n']);
      expect((await second.client.list()).items.map(({ name }) => name)).toEqual(['kept']);
      expect(await found.terminate()).toBe(true);
      expect((await second.client.list()).items).toEqual([]);
      await second.stop();
    },
  );
});
