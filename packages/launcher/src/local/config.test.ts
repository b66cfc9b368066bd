import { describe, expect, it } from 'vitest';
import { findReadablePathFault, parseLocalConfig } from './config.ts';

describe('parseLocalConfig', () => {
  it('of nothing is every default', () =>
    expect(parseLocalConfig(undefined, {})).toEqual({
      isolation: 'auto',
      readablePaths: [],
      passthrough: {},
      localRepositories: true,
    }));

  it('reads the values of the variables that are passed on', () => {
    const section = { isolation: 'bubblewrap', env: ['HTTPS_PROXY'], local_repositories: false };
    expect(parseLocalConfig(section, { HTTPS_PROXY: 'http://proxy:3128', OTHER: 'x' })).toEqual({
      isolation: 'bubblewrap',
      readablePaths: [],
      passthrough: { HTTPS_PROXY: 'http://proxy:3128' },
      localRepositories: false,
    });
  });

  it.each([
    [{ isolaton: 'none' }, 'sandbox.local: unknown key isolaton'],
    [{ isolation: 'docker' }, 'sandbox.local.isolation: '],
    [{ readable_paths: ['/srv', 'data'] }, 'sandbox.local.readable_paths.1: expected an absolute path'],
    [{ env: ['HOME'] }, 'sandbox.local.env: HOME is reserved'],
    [{ env: ['MY-VAR'] }, 'sandbox.local.env: "MY-VAR" is not a valid'],
    [{ env: ['GIT_TOKEN'] }, 'sandbox.local.env: GIT_TOKEN looks like a credential'],
    [{ env: ['MONKEY'] }, 'sandbox.local.env: MONKEY is not set'],
    ['none', 'sandbox.local: '],
  ])('refuses %j and names the key', (section, message) =>
    expect(() => parseLocalConfig(section, { GIT_TOKEN: 'x' })).toThrow(
      expect.objectContaining({ code: 'invalid_config', message: expect.stringContaining(message) }),
    ),
  );
});

describe('findReadablePathFault', () => {
  it.each(['/srv/data', '/home/someone/models', '/opt/tools', '/etc/gitconfig', '/tmp/shared'])(
    'lets %s pass',
    (path) => expect(findReadablePathFault(path)).toBeUndefined(),
  );

  it.each([
    ['/', 'lies at, under or above'],
    ['/tmp', '/tmp'],
    ['/proc', '/proc'],
    ['/proc/sys', '/proc'],
    ['/home', '/home/omnigent'],
    ['/home/omnigent/x', '/home/omnigent'],
    ['/run/docker.sock', '/run'],
    ['/opt', '/opt/omnigent'],
    ['/srv/../root', 'normalized'],
    ['/srv/', 'normalized'],
    ['/srv//x', 'normalized'],
    ['srv', 'absolute'],
    ['/srv\0', 'absolute'],
  ])('refuses %j', (path, text) => expect(findReadablePathFault(path)).toContain(text));
});
