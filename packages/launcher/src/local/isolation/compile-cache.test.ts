import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCompileCache } from './compile-cache.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'compile-cache-'));
});
afterEach(async () => await rm(directory, { recursive: true, force: true }));

async function open(bundle: string) {
  const hostBundle = join(directory, bundle);
  await writeFile(hostBundle, bundle);
  return await openCompileCache({ hostBundle, environment: { XDG_CACHE_HOME: directory }, isRoot: false });
}

describe('openCompileCache', () => {
  it('makes one directory for a bundle and finds it again', async () => {
    const made = await open('main.js');
    expect(made).toEqual({
      directory: expect.stringContaining(join(directory, 'omnigent', 'host-')),
      isFilled: false,
    });
    await writeFile(join(made?.directory ?? '', 'code'), '');
    const hostBundle = join(directory, 'main.js');
    expect(
      await openCompileCache({ hostBundle, environment: { XDG_CACHE_HOME: directory }, isRoot: false }),
    ).toEqual({ directory: made?.directory, isFilled: true });
  });

  it('keeps what the newest versions have left, and nothing that is not its own', async () => {
    const parent = join(directory, 'omnigent');
    const old = Array.from({ length: 9 }, (_, index) => `host-${index % 2 === 0 ? 'root-' : ''}100-${index}`);
    for (const [index, name] of [...old, 'command', 'host-notes'].entries()) {
      await mkdir(join(parent, name), { recursive: true });
      await utimes(join(parent, name), index, index);
    }
    const made = await open('main.js');
    const left = (await readdir(parent)).map((name) => join(parent, name)).toSorted();
    const kept = [...old.slice(-3), 'command', 'host-notes'].map((name) => join(parent, name));
    expect(left).toEqual([...kept, made?.directory ?? ''].toSorted());
  });

  it('is none where it cannot be made', async () => {
    await writeFile(join(directory, 'omnigent'), 'a file');
    expect(await open('main.js')).toBeNull();
  });
});
