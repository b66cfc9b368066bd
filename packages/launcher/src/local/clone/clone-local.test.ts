import { execFileSync } from 'node:child_process';
import { chmod, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cloneLocalRepository, isPublicAddress } from './clone-local.ts';
import { Originals } from './testing/originals.ts';

const isRoot = process.getuid?.() === 0;
const signal = AbortSignal.timeout(60_000);
let originals: Originals;
beforeEach(async () => {
  originals = await Originals.create();
});
afterEach(async () => await originals[Symbol.asyncDispose]());

async function clone(url: string, branch?: string): Promise<string> {
  const target = originals.path('clone');
  const repository = { url, directory: 'clone', ...(branch === undefined ? {} : { branch }) };
  await cloneLocalRepository(repository, { target, env: originals.env, signal });
  return target;
}

async function listObjects(repository: string): Promise<string[]> {
  const objects = join(repository, '.git/objects');
  const names = await readdir(objects, { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('cloneLocalRepository', () => {
  it('checks the branch out that the original has checked out', async () => {
    const url = await originals.make('app');
    originals.git('app', 'checkout', '--quiet', '-b', 'feature/x');
    await clone(url);
    expect(originals.git('clone', 'branch', '--show-current')).toBe('feature/x');
    expect(originals.git('clone', 'rev-parse', 'HEAD')).toBe(originals.git('app', 'rev-parse', 'HEAD'));
    expect(originals.git('clone', 'status', '--porcelain')).toBe('');
  });

  it('checks the branch or tag out that was asked for', async () => {
    const url = await originals.make('app');
    originals.git('app', 'branch', 'other');
    originals.git('app', 'commit', '--quiet', '--allow-empty', '--message', 'two');
    await clone(url, 'other');
    expect(originals.git('clone', 'log', '--format=%s')).toBe('one');
  });

  it('shares no file with the original', async () => {
    await clone(await originals.make('app'));
    const objects = await listObjects(originals.path('clone'));
    const links = await Promise.all(objects.map(async (path) => (await stat(path)).nlink));
    expect(objects.length).toBeGreaterThan(0);
    expect(new Set(links)).toEqual(new Set([1]));
  });

  it('is whole when the original borrows the objects of a third repository', async () => {
    await originals.make('third');
    originals.git('.', 'clone', '--quiet', '--shared', originals.path('third'), 'app');
    await clone(originals.path('app'));
    await originals.make('other');
    const alternates = join(originals.path('clone'), '.git/objects/info/alternates');
    await expect(readFile(alternates)).rejects.toThrow('ENOENT');
    expect(originals.git('clone', 'fsck', '--full')).toBe('');
  });

  it('runs no hook of the original, and copies none', async () => {
    const url = await originals.make('app');
    const witness = originals.path('witness');
    for (const hook of ['post-checkout', 'pre-receive', 'reference-transaction']) {
      const path = join(url, '.git/hooks', hook);
      await writeFile(path, `#!/bin/sh\ntouch ${witness}\n`).catch(() => undefined);
      await chmod(path, 0o755).catch(() => undefined);
    }
    await clone(url);
    await expect(stat(witness)).rejects.toThrow('ENOENT');
    expect(await readdir(join(originals.path('clone'), '.git/hooks')).catch(() => [])).toEqual([]);
  });

  it('runs no command that the settings of the original name', async () => {
    const url = await originals.make('app');
    const witness = originals.path('witness');
    const command = originals.path('command');
    await writeFile(command, `#!/bin/sh\ntouch ${witness}\nexec "$@"\n`, { mode: 0o755 });
    await writeFile(join(url, '.gitattributes'), '* filter=bad\n');
    originals.git('app', 'add', '.');
    originals.git('app', 'commit', '--quiet', '--message', 'two');
    for (const name of [
      'uploadpack.packObjectsHook',
      'core.fsmonitor',
      'filter.bad.smudge',
      'core.sshCommand',
    ])
      originals.git('app', 'config', name, command);
    await clone(url);
    await expect(stat(witness)).rejects.toThrow('ENOENT');
  });

  it.each([
    ['https://git.example.com/team/app.git', 'https://git.example.com/team/app.git'],
    ['git@git.example.com:team/app.git', 'git@git.example.com:team/app.git'],
    ['https://user:secret@git.example.com/team/app.git', ''],
    ['/home/someone/app', ''],
  ])('of an original with the origin %s has the origin %j', async (origin, expected) => {
    const url = await originals.make('app');
    originals.git('app', 'remote', 'add', 'origin', origin);
    await clone(url);
    expect(originals.git('clone', 'config', '--default', '', '--get', 'remote.origin.url')).toBe(expected);
    const settings = await readFile(join(originals.path('clone'), '.git/config'), 'utf8');
    expect(settings).not.toContain('secret');
    expect(settings).not.toContain(originals.directory);
  });

  it('of a linked worktree is of what that has checked out', async () => {
    await originals.make('app');
    originals.git('app', 'worktree', 'add', '--quiet', '-b', 'side', originals.path('side'));
    await clone(originals.path('side'));
    expect(originals.git('clone', 'branch', '--show-current')).toBe('side');
  });

  it('of a repository without commits is empty', async () => {
    originals.git('.', 'init', '--quiet', 'empty');
    await clone(originals.path('empty'));
    expect(originals.git('clone', 'status', '--porcelain')).toBe('');
  });

  it.runIf(isRoot)('reads an original of another user, which its caller has named', async () => {
    const url = await originals.make('app');
    execFileSync('chown', ['-R', '65534:65534', url]);
    await clone(url);
    expect(originals.git('clone', 'log', '--format=%s')).toBe('one');
  });

  it.each([
    ['a branch that is not there', ['app', 'none'], 'clone_branch_not_found'],
    ['a directory that is not there', ['none'], 'clone_repository_not_found'],
    ['a directory that is no repository', ['.'], 'clone_repository_not_found'],
  ] as const)('of %s fails with its own code', async (_, [name, branch], code) => {
    await originals.make('app');
    await expect(clone(originals.path(name), branch)).rejects.toMatchObject({
      code,
      details: { output: expect.stringContaining('fatal: ') },
    });
  });

  it('says that there is no git', async () => {
    const options = { target: originals.path('clone'), env: { PATH: '/nonexistent' }, signal };
    const repository = { url: await originals.make('app'), directory: 'clone' };
    await expect(cloneLocalRepository(repository, options)).rejects.toMatchObject({ code: 'git_missing' });
  });

  it('ends with the reason of the signal', async () => {
    const reason = new Error('no longer wanted');
    const options = {
      target: originals.path('clone'),
      env: originals.env,
      signal: AbortSignal.abort(reason),
    };
    const repository = { url: await originals.make('app'), directory: 'clone' };
    await expect(cloneLocalRepository(repository, options)).rejects.toBe(reason);
  });
});

describe('isPublicAddress', () => {
  it.each(['https://git.example.com/a/b', 'ssh://git@git.example.com/a/b', 'git@git.example.com:a/b'])(
    'is true of %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    '',
    '/home/someone/app',
    '../app',
    'file:///home/someone/app',
    'https://token@git.example.com/a/b',
    'ssh://git:secret@git.example.com/a/b',
    '-oProxyCommand=x',
    'ext::sh -c x',
  ])('is false of %j', (address) => expect(isPublicAddress(address)).toBe(false));
});
