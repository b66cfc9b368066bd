/** Files of a sandbox through server, tunnel and host. */
import { createHash, randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { HOST_ROUTES, SERVER_ROUTES, directoryListSchema, fileStatSchema } from '@omnigent/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isReady, startTestServer, waitForEvent } from '../server-harness/test-server.ts';
import type { CallInit, TestServer } from '../server-harness/test-server.ts';

let api: TestServer;
let id: string;
let place: string;

beforeAll(async () => {
  api = await startTestServer();
  ({ id } = await api.launch());
  await waitForEvent(api.events(id), isReady);
  place = join(api.directory, 'place');
  await mkdir(place);
}, 60_000);

afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

type Query = Readonly<Record<string, string>>;
const toPath = (query: Query) =>
  `${SERVER_ROUTES.host(id, HOST_ROUTES.files)}?${new URLSearchParams(query).toString()}`;
const call = (method: string, query: Query, init?: CallInit) => api.call(method, toPath(query), init);

async function readCode(response: Response): Promise<unknown> {
  const problem: unknown = await response.json();
  return typeof problem === 'object' && problem !== null && 'code' in problem ? problem.code : undefined;
}

it('a file that was written is read back with the same bytes, mode and kind', async () => {
  const data = randomBytes(3 * 1024 * 1024 + 17);
  const path = join(place, 'new', 'süß\n name');
  const written = await call('PUT', { path, mode: '750', parents: '1' }, { body: new Uint8Array(data) });
  expect(written.status).toBe(201);
  const read = await call('GET', { path });
  expect(Buffer.from(await read.arrayBuffer()).equals(data)).toBe(true);
  const found = fileStatSchema.parse(await (await call('GET', { path, stat: '1' })).json());
  expect(found).toMatchObject({ path, kind: 'file', size: data.length, mode: 0o750, target: null });
  const again = await call('PUT', { path }, { body: 'short' });
  expect(again.status).toBe(204);
  expect(await readFile(path, 'utf8')).toBe('short');
  expect((await stat(path)).mode & 0o777).toBe(0o750);
});

it('a range goes on where a read broke off, and If-Match tells that the file is another one', async () => {
  const path = join(place, 'ranged');
  await writeFile(path, '0123456789');
  const first = await call('GET', { path }, { headers: { range: 'bytes=0-3' } });
  expect([first.status, first.headers.get('content-range'), await first.text()]).toEqual([
    206,
    'bytes 0-3/10',
    '0123',
  ]);
  const headers = { range: 'bytes=4-', 'if-match': first.headers.get('etag') ?? '' };
  expect(await (await call('GET', { path }, { headers })).text()).toBe('456789');
  await call('PUT', { path }, { body: 'abcdefghij' });
  const changed = await call('GET', { path }, { headers });
  expect([changed.status, await readCode(changed)]).toEqual([412, 'file_changed']);
  const outside = await call('GET', { path }, { headers: { range: 'bytes=10-' } });
  expect([outside.status, await readCode(outside)]).toEqual([416, 'range_outside']);
});

it('a list tells names in order, links with their targets', async () => {
  const path = join(place, 'listed');
  const made = await api.call('POST', SERVER_ROUTES.host(id, HOST_ROUTES.directories), {
    json: { path: join(path, 'b'), mode: '700' },
  });
  expect(made.status).toBe(204);
  await symlink('nowhere', join(path, 'a'));
  const list = directoryListSchema.parse(await (await call('GET', { path, list: '1' })).json());
  expect(list.items.map(({ path: item, kind, target }) => [item, kind, target])).toEqual([
    [join(path, 'a'), 'symlink', 'nowhere'],
    [join(path, 'b'), 'directory', null],
  ]);
});

it.each([
  ['of a known length', 1024 * 1024],
  ['in chunks', undefined],
])('a body %s that is cut leaves the file as it was and nothing beside it', async (_kind, length) => {
  const directory = join(place, `cut-${length ?? 'chunked'}`);
  await mkdir(directory);
  await writeFile(join(directory, 'kept'), 'as it was');
  const put = request(new URL(toPath({ path: join(directory, 'kept') }), api.server.url), {
    method: 'PUT',
    headers: {
      authorization: 'Bearer a-token-of-these-tests-only',
      ...(length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': length }),
    },
  });
  put.on('error', () => undefined);
  put.write(randomBytes(512 * 1024));
  // The file beside the old one shows that the host has begun.
  await expect.poll(() => readdir(directory), { timeout: 10_000 }).toHaveLength(2);
  put.destroy();
  await expect.poll(() => readdir(directory), { timeout: 10_000 }).toEqual(['kept']);
  expect(await readFile(join(directory, 'kept'), 'utf8')).toBe('as it was');
});

it('special files are refused at once instead of being waited for', async () => {
  const path = join(place, 'fifo');
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);
  for (const special of [path, '/dev/zero', place]) {
    const answer = await call('GET', { path: special });
    expect([special, answer.status, await readCode(answer)]).toEqual([special, 409, 'file_conflict']);
  }
  expect((await call('PUT', { path }, { body: 'x' })).status).toBe(409);
  expect((await lstat(path)).isFIFO()).toBe(true);
});

it("neither the host's environment nor its state is reached, by no way around", async () => {
  const home = join(api.directory, 'way');
  await symlink('/proc/self/environ', home);
  const paths = [
    '/proc/self/environ',
    '/proc/thread-self/environ',
    '/dev/fd/0',
    '/proc/self/root/proc/self/environ',
    home,
    `${place}/../way`,
  ];
  for (const path of paths) {
    const answer = await call('GET', { path });
    expect([path, answer.ok]).toEqual([path, false]);
    expect(await readCode(answer)).toMatch(/^(path_forbidden|file_conflict)$/);
  }
});

it("the host's state is neither written, listed nor removed with what holds it", async () => {
  const [home = ''] = api.launcher.hosts.keys();
  await mkdir(join(api.directory, home, '.omnigent', 'processes'), { recursive: true });
  // Relative paths start at the workspace, which lies in the home directory beside the state.
  const answers = [
    await call('PUT', { path: '../.omnigent/planted', parents: '1' }, { body: 'x' }),
    await call('GET', { path: '../.omnigent', list: '1' }),
    await call('GET', { path: '../.omnigent/processes', stat: '1' }),
    await call('DELETE', { path: '..', recursive: '1' }),
  ];
  for (const answer of answers)
    expect([answer.status, await readCode(answer)]).toEqual([403, 'path_forbidden']);
});

it('removing a link leaves what it leads to; a tree goes only when asked for', async () => {
  const tree = join(place, 'tree');
  await mkdir(join(tree, 'inner'), { recursive: true });
  await writeFile(join(tree, 'inner', 'file'), 'x');
  await symlink(tree, join(place, 'link'));
  expect((await call('DELETE', { path: join(place, 'link'), recursive: '1' })).status).toBe(204);
  expect(await readCode(await call('DELETE', { path: tree }))).toBe('file_conflict');
  expect(await readFile(join(tree, 'inner', 'file'), 'utf8')).toBe('x');
  expect((await call('DELETE', { path: tree, recursive: '1' })).status).toBe(204);
  expect(await readCode(await call('GET', { path: tree, stat: '1' }))).toBe('file_not_found');
});

it('one hundred writes at once of one file leave one of them whole', async () => {
  const path = join(place, 'contended');
  const bodies = Array.from({ length: 100 }, () => new Uint8Array(randomBytes(20_000)));
  const answers = await Promise.all(bodies.map((body) => call('PUT', { path }, { body })));
  expect(answers.every(({ ok }) => ok)).toBe(true);
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  expect(bodies.map(digest)).toContain(digest(await readFile(path)));
});
