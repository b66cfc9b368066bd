import { describe, expect, it } from 'vitest';
import { buildPreparation, resolveWorkspace } from './workspace.ts';

const remote = { url: 'https://git.example.com/team/app.git', branch: 'main', directory: 'app' };
const local = { url: '/src/tool', directory: 'tool' };
const inside = { isIsolated: true, workspace: '/state/home/workspace' };

describe('resolveWorkspace', () => {
  it.each([
    ['no repository', [], '/home/omnigent/workspace'],
    ['one', [remote], '/home/omnigent/workspace/app'],
    ['several', [remote, local], '/home/omnigent/workspace'],
  ])('of %s', (_, repositories, path) => expect(resolveWorkspace(repositories, inside)).toBe(path));

  it('without isolation is a path of the machine', () =>
    expect(resolveWorkspace([local], { ...inside, isIsolated: false })).toBe('/state/home/workspace/tool'));
});

describe('buildPreparation', () => {
  it.each([
    ['no repository', []],
    ['several of this machine', [local, { ...local, directory: 'other' }]],
  ])('of %s is nothing', (_, repositories) => expect(buildPreparation(repositories)).toBeNull());

  it('tells the host what to clone', () =>
    expect(buildPreparation([remote])).toEqual({
      repositories: [{ url: 'https://git.example.com/team/app.git', branch: 'main', directory: 'app' }],
      git: { submodules: false, lfs: 'skip' },
      timeout_seconds: 3600,
    }));

  it('tells it of a single clone of the launcher, where its programs start', () =>
    expect(buildPreparation([local])?.repositories).toEqual([{ url: '/src/tool', directory: 'tool' }]));
});
