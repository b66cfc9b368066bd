import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { replaceFolder } from './replace-folder.ts';

test('replaceFolder leaves exactly the given files, and untouched those that are the same', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'replace-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'host'));
  await writeFile(join(folder, 'host/same.js'), 'same');
  await writeFile(join(folder, 'host/old.js'), 'old');
  const before = await stat(join(folder, 'host/same.js'));
  await replaceFolder(folder, [
    { path: join(folder, 'host/same.js'), contents: Buffer.from('same') },
    { path: join(folder, 'cli/new.js'), contents: Buffer.from('new') },
  ]);
  expect((await readdir(folder, { recursive: true })).toSorted()).toEqual([
    'cli',
    'cli/new.js',
    'host',
    'host/same.js',
  ]);
  expect(await readFile(join(folder, 'cli/new.js'), 'utf8')).toBe('new');
  expect((await stat(join(folder, 'host/same.js'))).ino).toBe(before.ino);
});
