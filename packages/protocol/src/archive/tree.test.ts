/** Trees on a real file system, packed and unpacked, also with GNU tar at the other end. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import * as fileSystem from 'node:fs/promises';
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readdir,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SandboxError } from '../errors.ts';
import { packTree } from './pack-tree.ts';
import type { PackOptions } from './pack-tree.ts';
import { END_OF_ARCHIVE, encodeEntry, padding } from './tar-encoder.ts';
import type { ArchiveEntry } from './entry.ts';
import { unpackTree } from './unpack-tree.ts';
import type { UnpackOptions } from './unpack-tree.ts';

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'omnigent-archive-'));
  await mkdir(join(place, 'from'));
  await mkdir(join(place, 'to'));
});
afterEach(() => rm(place, { recursive: true, force: true }));

const from = (...names: string[]) => join(place, 'from', ...names);
const to = (...names: string[]) => join(place, 'to', ...names);
const pack = (options: Partial<PackOptions> = {}) =>
  packTree({ fileSystem, root: from(), name: 'root', toFault: (_, error) => error, ...options });
const unpack = (chunks: AsyncIterable<Uint8Array>, options: Partial<UnpackOptions> = {}) =>
  unpackTree(chunks, {
    fileSystem,
    root: to(),
    isRootOfArchive: true,
    toFault: (_, error) => error,
    randomName: () => randomUUID(),
    ...options,
  });

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

async function* archiveOf(entries: readonly (Partial<ArchiveEntry> & { readonly bytes?: string })[]) {
  for (const { bytes = '', ...entry } of entries) {
    const size = bytes.length;
    yield encodeEntry({ path: 'x', kind: 'file', mode: 0o644, modifiedAt: 0, size, target: '', ...entry });
    yield Buffer.from(bytes);
    yield padding(size);
  }
  yield END_OF_ARCHIVE;
}

/** Kind, mode, time, bytes, target and links of everything, as text. */
function describeTree(root: string): string {
  const format = '%y %m %T@ %n %l %P\n';
  const find = execFileSync('find', [root, '-mindepth', '1', '-printf', format], { encoding: 'utf8' });
  const hashes = execFileSync('sh', ['-c', 'find . -type f -print0 | sort -z | xargs -0 -r sha256sum'], {
    cwd: root,
    encoding: 'utf8',
  });
  return (
    find
      .replaceAll(/\.\d+ /g, ' ')
      .split('\n')
      .toSorted()
      .join('\n') + hashes
  );
}

async function makeTree(): Promise<void> {
  await mkdir(from('dir', 'deep'), { recursive: true });
  await writeFile(from('dir', 'deep', 'süß \n name'), 'text');
  await writeFile(from('dir', 'run.sh'), '#!/bin/sh\n');
  await chmod(from('dir', 'run.sh'), 0o751);
  await writeFile(from('big'), Buffer.alloc(700_001, 'ab'));
  await writeFile(from('empty'), '');
  await symlink('dir/../nowhere', from('link'));
  await symlink('/etc/passwd', from('absolute'));
  await link(from('big'), from('zz-second-name'));
  await mkdir(from('n'.repeat(200)));
  await writeFile(from('n'.repeat(200), 'x'.repeat(250)), 'long');
  await chmod(from('dir', 'deep'), 0o555);
}

describe('a tree', () => {
  it('is the same on the other side', async () => {
    await makeTree();
    await unpack(pack());
    expect(describeTree(to())).toBe(describeTree(from()));
    expect((await lstat(to('big'))).ino).toBe((await lstat(to('zz-second-name'))).ino);
    await unpack(pack());
    expect(describeTree(to())).toBe(describeTree(from()));
  });

  it('is the same when GNU tar unpacks it, and when GNU tar packs it', async () => {
    await makeTree();
    const input = await collect(pack());
    execFileSync('tar', ['-xpf', '-', '-C', to()], { input });
    expect(describeTree(to())).toBe(describeTree(from()));
    await rm(to(), { recursive: true });
    await mkdir(to());
    await unpack(readTarOf(['--format=pax', '--sort=name', '-cf', '-', '-C', from(), '.']));
    expect(describeTree(to())).toBe(describeTree(from()));
  });

  it('keeps its holes, in both directions also with GNU tar', async () => {
    const file = await open(from('sparse'), 'w');
    await file.write('begin', 0);
    await file.write('end', 3 * 2 ** 30);
    await file.close();
    await truncate(from('sparse'), 2 ** 32);
    const input = await collect(pack());
    expect(input.length).toBeLessThan(100_000);
    await unpack(archiveBytes(input));
    execFileSync('tar', ['-xpf', '-', '-C', place, '--transform', 's,sparse,gnu,', 'sparse'], { input });
    await mkdir(to('again'));
    await unpack(readTarOf(['--format=pax', '-Scf', '-', '-C', from(), 'sparse']), { root: to('again') });
    for (const path of [to('sparse'), join(place, 'gnu'), to('again', 'sparse')]) {
      const { size, blocks } = await lstat(path);
      expect([size, blocks < 100]).toEqual([2 ** 32, true]);
      expect(await readAt(path, 0, 5)).toBe('begin');
      expect(await readAt(path, 3 * 2 ** 30, 3)).toBe('end');
    }
  }, 60_000);

  it('that is one file or link is one entry, under another name when asked', async () => {
    await writeFile(from('one'), 'content');
    await unpack(pack({ root: from('one'), name: 'one' }), { rename: () => 'two' });
    expect(await readdir(to())).toEqual(['two']);
    expect(await readFile(to('two'), 'utf8')).toBe('content');
  });

  it('leaves out what is skipped, and special files', async () => {
    await makeTree();
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', from('fifo')]);
    await unpack(pack({ isSkipped: (path) => path === 'dir' }));
    const names = await readdir(to());
    expect(names).not.toContain('dir');
    expect(names).not.toContain('fifo');
    expect(names).toContain('big');
  });

  it('that cannot be read tells why, and what came before is there', async () => {
    await writeFile(from('a'), 'a');
    await writeFile(from('b'), 'b');
    const broken = { ...fileSystem, open: brokenOpen(new Error('EIO: broken')) };
    const toFault = (path: string) => new SandboxError('path_forbidden', `${path} is broken`);
    await expect(unpack(pack({ fileSystem: broken, toFault }))).rejects.toMatchObject({
      code: 'path_forbidden',
      message: 'b is broken',
    });
    expect(await readdir(to())).toEqual(['a']);
  });
});

describe('an archive that would change what it must not', () => {
  it.each([
    [
      'through a link of its own',
      [{ path: 'out', kind: 'symlink', target: '..' }, { path: 'out/x' }],
      'file_conflict',
    ],
    ['through the parent', [{ path: '../x' }], 'archive_invalid'],
    [
      'by a hard link to what was there',
      [{ path: 'h', kind: 'hardlink', target: 'there' }],
      'archive_invalid',
    ],
    ['over a directory', [{ path: 'there-too' }], 'EISDIR'],
    ['by a file as its root', [{ path: '.' }], 'archive_invalid'],
    ['in a forbidden place', [{ path: 'secret/x' }], 'path_forbidden'],
    ['by a name below a file', [{ path: 'there/x' }], 'file_conflict'],
  ] as const)('%s is refused', async (_, entries, code) => {
    await writeFile(to('there'), 'old');
    await mkdir(to('there-too'));
    const isForbidden = (path: string) => path.startsWith('secret');
    await expect(unpack(archiveOf(entries), { isForbidden })).rejects.toMatchObject({ code });
    expect(await readdir(place)).toEqual(['from', 'to']);
    expect((await readdir(to())).filter((name) => name.startsWith('.omnigent-'))).toEqual([]);
    expect(await readFile(to('there'), 'utf8')).toBe('old');
  });

  it('by a link that leads out is a link, and what it leads to stays', async () => {
    await writeFile(from('outside'), 'safe');
    const entries = [
      { path: 'x', kind: 'symlink', target: from('outside') },
      { path: 'x', bytes: 'new' },
    ] as const;
    await unpack(archiveOf(entries));
    expect(await readFile(from('outside'), 'utf8')).toBe('safe');
    expect(await readFile(to('x'), 'utf8')).toBe('new');
  });
});

async function* archiveBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function readTarOf(args: readonly string[]): AsyncGenerator<Uint8Array> {
  return archiveBytes(execFileSync('tar', args, { maxBuffer: 2 ** 26 }));
}

async function readAt(path: string, position: number, length: number): Promise<string> {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString();
}

/** Opens whatever is not called `b`. */
function brokenOpen(fault: Error): typeof fileSystem.open {
  return async (path, flags, mode) => {
    if (String(path).endsWith('/b')) throw fault;
    return await fileSystem.open(path, flags, mode);
  };
}
