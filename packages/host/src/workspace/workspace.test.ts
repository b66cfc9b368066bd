import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@omnigent/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Workspace } from './workspace.ts';

let home: string;
beforeEach(async () => (home = await mkdtemp(join(tmpdir(), 'omnigent-workspace-'))));
afterEach(async () => await rm(home, { recursive: true, force: true }));

it('a preparation removes what an earlier host has cloned in part', async () => {
  const origin = join(home, 'origin');
  const directory = join(home, 'workspace');
  execFileSync('git', ['init', '-q', origin]);
  const left = join(directory, '.omnigent-clone-7-42');
  await mkdir(left, { recursive: true });
  await writeFile(join(left, 'pack'), 'half of it');
  const workspace = new Workspace({
    directory,
    env: { PATH: process.env['PATH'] ?? '' },
    clock: systemClock,
  });
  const types: string[] = [];
  const events = workspace.prepare({
    repositories: [{ url: origin, directory: 'repo' }],
    git: { submodules: false, lfs: 'skip' },
    timeout_seconds: 60,
  });
  for await (const { type } of events) types.push(type);
  expect(types.at(-1)).toBe('done');
  expect(await readdir(directory)).toEqual(['repo']);
});
