/** A private PostgreSQL for one test file: initdb in a temporary directory, on a free loopback port. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';

/** The directory of PostgreSQL's programs; undefined where it is not installed. */
export async function findPostgres(): Promise<string | undefined> {
  const versions = await readdir(DEBIAN).catch(() => []);
  const newest = versions.toSorted((one, other) => Number(one) - Number(other)).at(-1);
  return newest === undefined ? undefined : join(DEBIAN, newest, 'bin');
}

export interface PrivatePostgres extends AsyncDisposable {
  readonly url: string;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** PostgreSQL does not run as root: a plain user is used then. */
async function resolveUser(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const { stdout } = await run('sh', ['-c', 'id -u postgres; id -g postgres']);
  const [uid = 0, gid = 0] = stdout.trim().split('\n').map(Number);
  return { uid, gid };
}

/** Starts a server. */
export async function startPostgres(programs: string): Promise<PrivatePostgres> {
  const user = await resolveUser();
  const directory = await mkdtemp(join(tmpdir(), 'omnigent-postgres-'));
  if (user.uid !== undefined && user.gid !== undefined) await chown(directory, user.uid, user.gid);
  const data = join(directory, 'data');
  await run(join(programs, 'initdb'), ['-D', data, '-U', 'test', '--auth=trust', '-N'], {
    ...user,
    cwd: directory,
  });
  const port = await findFreePort();
  const settings = [
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    `unix_socket_directories=${directory}`,
    '-c',
    'fsync=off',
  ];
  const server = spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
    ...user,
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    let log = '';
    server.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      if (log.includes('ready to accept connections')) resolve();
    });
    server.once('exit', () => reject(new Error(log)));
  });
  return {
    url: `postgres://test@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
