/** Trees and large files of a sandbox: tar streams both ways, uploads in parts, and interruptions of both. */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import * as fileSystem from 'node:fs/promises';
import { lstat, mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@omnigent/client';
import type { SandboxHandle } from '@omnigent/client';
import { HOST_ROUTES, SERVER_ROUTES, packTree, unpackTree } from '@omnigent/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCuttingProxy } from '../faults/cutting-proxy.ts';
import type { CuttingProxy } from '../faults/cutting-proxy.ts';
import { startTestServer } from '../server-harness/test-server.ts';
import type { TestServer } from '../server-harness/test-server.ts';

const MEGABYTE = 1024 * 1024;

let api: TestServer;
let proxy: CuttingProxy;
let sandbox: SandboxHandle;
let here: string;

beforeAll(async () => {
  api = await startTestServer();
  proxy = await startCuttingProxy();
  proxy.target = Number(new URL(api.server.url).port);
  // Every call of this client goes through the proxy.
  const url = `http://127.0.0.1:${proxy.port}`;
  sandbox = await createClient({ url, token: 'a-token-of-these-tests-only' }).launch({});
  here = join(api.directory, 'here');
  await mkdir(here);
}, 60_000);

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const toFault = (_: string, error: unknown) => error;
const pack = (root: string) => packTree({ fileSystem, root, name: 'one', toFault });
const unpack = (chunks: AsyncIterable<Uint8Array>, root: string) =>
  unpackTree(chunks, {
    fileSystem,
    root,
    isRootOfArchive: true,
    toFault,
    randomName: () => randomUUID(),
  });

async function readSome(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

/** The tree's own word on its names, modes, targets and bytes. */
function listTree(root: string): string {
  const script = `find . -printf '%y %m %s %l %P\\n' | sort; find . -type f -print0 | sort -z | xargs -0 -r sha256sum`;
  return execFileSync('sh', ['-c', script], { cwd: root, encoding: 'utf8' }).replaceAll(
    /^d (\d+) \d+/gm,
    'd $1',
  );
}

it('a tree goes into the sandbox and comes back the same', async () => {
  const tree = join(here, 'tree');
  await mkdir(join(tree, 'deep', 'er'), { recursive: true });
  for (let index = 0; index < 300; index += 1)
    await writeFile(join(tree, 'deep', `file ${index}`), randomBytes(index * 17), { mode: 0o640 });
  await writeFile(join(tree, 'large'), randomBytes(5 * MEGABYTE), { mode: 0o755 });
  await symlink('../nowhere', join(tree, 'deep', 'link'));
  await sandbox.files.extract('copies/tree', pack(tree), { parents: true });
  const back = join(here, 'back');
  await mkdir(back);
  await unpack(sandbox.files.archive('copies/tree'), back);
  expect(listTree(back)).toBe(listTree(tree));
  const { stdout } = await sandbox.exec(['sh', '-c', 'cat "copies/tree/deep/file 299" | sha256sum']);
  expect(stdout).toContain(digest(await readFile(join(tree, 'deep', 'file 299'))));
});

it('one file or link is one entry; a link is followed when asked', async () => {
  await sandbox.files.write('single/target', 'text', { parents: true });
  await sandbox.exec(['ln', '-s', 'target', 'single/link']);
  const place = join(here, 'single');
  await mkdir(place);
  await unpack(sandbox.files.archive('single/link'), place);
  expect((await lstat(join(place, 'link'))).isSymbolicLink()).toBe(true);
  await unpack(sandbox.files.archive('single/link', { follow: true }), place);
  expect(await readFile(join(place, 'target'), 'utf8')).toBe('text');
});

it.each([
  ['/proc/self', 'path_forbidden'],
  ['../.omnigent', 'path_forbidden'],
  ['no/such', 'file_not_found'],
  ['/dev/null', 'file_conflict'],
])('%s is not packed', async (path, code) => {
  await expect(readSome(sandbox.files.archive(path))).rejects.toMatchObject({ code });
});

it('what holds the state of the host is packed without it, and nothing is unpacked in it', async () => {
  const bytes = await readSome(sandbox.files.archive('..'));
  const names = execFileSync('tar', ['-tf', '-'], { input: bytes, encoding: 'utf8' });
  expect(names).not.toContain('.omnigent');
  await mkdir(join(here, 'evil', '.omnigent'), { recursive: true });
  await expect(sandbox.files.extract('..', pack(join(here, 'evil')))).rejects.toMatchObject({
    code: 'path_forbidden',
  });
});

it('a refusal in the middle of a large archive reaches the caller', async () => {
  const tree = join(here, 'refused');
  await mkdir(join(tree, 'b'), { recursive: true });
  await writeFile(join(tree, 'b', 'x'), '');
  await writeFile(join(tree, 'c'), randomBytes(20 * MEGABYTE));
  await sandbox.exec(['sh', '-c', 'mkdir refused; ln -s / refused/b']);
  await expect(sandbox.files.extract('refused', pack(tree))).rejects.toMatchObject({ code: 'file_conflict' });
  expect((await sandbox.exec(['ls', 'refused'])).stdout).toBe('b\n');
});

it('an archive that breaks off leaves no half of a file', async () => {
  await writeFile(join(here, 'half'), randomBytes(2 * MEGABYTE));
  const broken = async function* () {
    for await (const chunk of pack(join(here, 'half'))) {
      yield chunk.subarray(0, MEGABYTE / 4);
      throw new Error('the disk broke');
    }
  };
  await expect(sandbox.files.extract('halves', broken(), { parents: true })).rejects.toThrow(
    'the disk broke',
  );
  await expect.poll(async () => (await sandbox.exec(['ls', '-A', 'halves'])).stdout).toBe('');
});

it('a file is read on after its connections were cut, and never of two versions', async () => {
  const data = randomBytes(24 * MEGABYTE);
  await sandbox.files.write('long', data);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of sandbox.files.read('long')) {
    const before = Math.floor(size / (4 * MEGABYTE));
    chunks.push(chunk);
    size += chunk.length;
    if (Math.floor(size / (4 * MEGABYTE)) > before) proxy.cut();
  }
  expect(digest(Buffer.concat(chunks))).toBe(digest(data));
  const changing = async () => {
    for await (const chunk of sandbox.files.read('long')) {
      if (chunk.length === 0) continue;
      await sandbox.files.write('long', randomBytes(24 * MEGABYTE));
      proxy.cut();
    }
  };
  await expect(changing()).rejects.toMatchObject({ code: 'file_changed' });
}, 60_000);

it('an upload goes on after its connections were cut, and in a later call', async () => {
  const data = randomBytes(24 * MEGABYTE);
  const offsets: number[] = [];
  let cuts = 0;
  const source = {
    size: data.length,
    read: async function* (offset: number) {
      offsets.push(offset);
      for (let at = offset; at < data.length; at += MEGABYTE) {
        yield data.subarray(at, at + MEGABYTE);
        if (at > (cuts + 1) * 6 * MEGABYTE) {
          cuts += 1;
          proxy.cut();
        }
      }
    },
  };
  const modifiedAt = new Date('2020-02-02T02:02:02Z');
  await sandbox.files.upload('parts/up', source, { parents: true, mode: 0o750, modifiedAt });
  expect(cuts).toBeGreaterThan(1);
  // Some of it was there each time that it went on.
  expect(offsets.slice(1).every((offset) => offset > 0)).toBe(true);
  expect(digest(await sandbox.files.readBytes('parts/up'))).toBe(digest(data));
  expect(await sandbox.files.stat('parts/up')).toMatchObject({
    mode: 0o750,
    modified_at: modifiedAt.toISOString(),
  });
  expect((await sandbox.exec(['ls', '-A', 'parts'])).stdout).toBe('up\n');
}, 60_000);

it('an upload that was given up goes on under its name', async () => {
  const data = randomBytes(8 * MEGABYTE);
  const upload = 'the-name-of-it';
  const giveUp = new AbortController();
  const half = {
    size: data.length,
    read: async function* (offset: number) {
      yield data.subarray(offset, data.length / 2);
      await once(giveUp.signal, 'abort');
    },
  };
  const first = sandbox.files.upload('resumed', half, { upload, signal: giveUp.signal });
  const path = `${SERVER_ROUTES.host(sandbox.id, HOST_ROUTES.files)}?path=resumed&stat=1&upload=${upload}`;
  const sizeThere = async () => {
    const stat: unknown = await (await api.call('GET', path)).json();
    return typeof stat === 'object' && stat !== null && 'size' in stat ? stat.size : 0;
  };
  await expect.poll(sizeThere, { timeout: 20_000 }).toBe(data.length / 2);
  giveUp.abort();
  await expect(first).rejects.toMatchObject({ code: 'canceled' });
  const offsets: number[] = [];
  const whole = {
    size: data.length,
    read: async function* (offset: number) {
      offsets.push(offset);
      yield data.subarray(offset);
    },
  };
  await sandbox.files.upload('resumed', whole, { upload });
  expect(offsets).toEqual([data.length / 2]);
  expect(digest(await sandbox.files.readBytes('resumed'))).toBe(digest(data));
});

it.each([
  ['upload=short', 'invalid_request'],
  ['upload=long-enough&offset=0', 'invalid_request'],
  ['offset=0&size=1', 'invalid_request'],
  ['upload=long-enough&offset=1&size=2', 'file_conflict'],
  ['upload=long-enough&offset=0&size=0', 'invalid_request'],
])('a part with %s is refused', async (query, code) => {
  const path = `${SERVER_ROUTES.host(sandbox.id, HOST_ROUTES.files)}?path=refused-part&${query}`;
  const answer = await api.call('PUT', path, { body: 'x' });
  expect(await answer.json()).toMatchObject({ code });
  await expect(sandbox.files.stat('refused-part')).rejects.toMatchObject({ code: 'file_not_found' });
});

it('a sparse file of more than 4 GB comes and goes as its few bytes', async () => {
  const tree = join(here, 'sparse');
  await mkdir(tree);
  execFileSync('sh', ['-c', 'printf begin >s; truncate -s 5G s; printf end >>s'], { cwd: tree });
  await sandbox.files.extract('sparse', pack(tree), { parents: true });
  const { stdout } = await sandbox.exec(['sh', '-c', 'stat -c "%s %b" sparse/s; tail -c 3 sparse/s']);
  const [size = '', blocks = '', ...end] = stdout.split(/\s+/);
  expect([Number(size), Number(blocks) < 100, end.join('')]).toEqual([5 * 2 ** 30 + 3, true, 'end']);
  await rm(join(tree, 's'));
  await unpack(sandbox.files.archive('sparse'), tree);
  expect(await readdir(tree)).toEqual(['s']);
  expect(await lstat(join(tree, 's'))).toMatchObject({ size: 5 * 2 ** 30 + 3 });
}, 120_000);
