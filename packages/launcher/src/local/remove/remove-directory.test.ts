import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toSandboxPaths } from '../records/paths.ts';
import { markLeaving, removeTree } from './remove-directory.ts';

const isRoot = process.getuid?.() === 0;
let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'omnigent-remove-'));
});
afterEach(async () => await rm(directory, { recursive: true, force: true }));

describe('removeTree', () => {
  it('of nothing is success', async () => {
    await expect(removeTree(join(directory, 'none'))).resolves.toBeUndefined();
  });

  it('removes what nobody may enter', async () => {
    const tree = join(directory, 'tree');
    await mkdir(join(tree, 'a/b'), { recursive: true });
    await writeFile(join(tree, 'a/b/file'), '');
    for (const path of ['a/b/file', 'a/b', 'a', '.']) await chmod(join(tree, path), 0);
    await removeTree(tree);
    expect(await readdir(directory)).toEqual([]);
  });

  it('removes a home that was used', async () => {
    const home = join(directory, 'sandbox/home');
    await mkdir(join(home, 'workspace/app'), { recursive: true });
    await mkdir(join(home, '.cache/closed'), { recursive: true });
    await writeFile(join(home, '.cache/closed/file'), '');
    await chmod(join(home, '.cache/closed'), 0);
    await removeTree(join(directory, 'sandbox'));
    expect(await readdir(directory)).toEqual([]);
  });

  it('removes what lies deeper than a path can say', async () => {
    const script = 'for i in $(seq 60); do mkdir $(printf "%0200d" $i) && cd $_; done; touch deep';
    const tree = join(directory, 'tree');
    await mkdir(tree);
    execFileSync('bash', ['-c', script], { cwd: tree });
    await removeTree(tree);
    expect(await readdir(directory)).toEqual([]);
  });

  it('removes links and never what they point to', async () => {
    const outside = join(directory, 'outside');
    await mkdir(join(directory, 'tree/closed'), { recursive: true });
    await writeFile(outside, 'kept');
    await symlink(outside, join(directory, 'tree/closed/link'));
    await symlink(directory, join(directory, 'tree/up'));
    await chmod(join(directory, 'tree/closed'), 0);
    await removeTree(join(directory, 'tree'));
    expect(await readFile(outside, 'utf8')).toBe('kept');
    expect(await readdir(directory)).toEqual(['outside']);
  });

  it.runIf(isRoot)('says so when something stays', async () => {
    const mounted = join(directory, 'tree/mounted');
    await mkdir(mounted, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', 'none', mounted]);
    try {
      await expect(removeTree(join(directory, 'tree'))).rejects.toMatchObject({
        code: 'internal',
        message: expect.stringContaining('cannot remove'),
      });
    } finally {
      execFileSync('umount', [mounted]);
    }
  });
});

describe('markLeaving', () => {
  it('takes the place of what an interrupted removal left', async () => {
    const paths = toSandboxPaths(directory, 'app-0a1b2c');
    await mkdir(join(paths.leaving, 'old'), { recursive: true });
    await mkdir(join(paths.root, 'new'), { recursive: true });
    await markLeaving(paths);
    expect(await readdir(paths.leaving)).toEqual(['new']);
    await markLeaving(paths);
    expect(await readdir(join(directory, 'sandboxes'))).toEqual([]);
  });
});
