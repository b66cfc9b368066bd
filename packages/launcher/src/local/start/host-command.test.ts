import { describe, expect, it } from 'vitest';
import { buildHostCommand, buildHostEnvironment, toHostPlace } from './host-command.ts';

const OPTIONS = {
  nodePath: '/nvm/node',
  hostBundle: '/lib/host/main.js',
  home: '/state/sandboxes/app/home',
  machinePath: '/nvm:/usr/bin',
};
const REQUEST = { env: { A: '1' }, hostId: 'h0123456789ab', hostName: 'app', token: 'secret' };
const NONE = { kind: 'none', warning: null } as const;
const ISOLATED = {
  kind: 'bubblewrap',
  system: { rootEntries: [], maskedPaths: [] },
  nodePath: OPTIONS.nodePath,
  hostBundle: OPTIONS.hostBundle,
  isRoot: false,
  compileCache: '/cache',
} as const;

describe('toHostPlace', () => {
  it('with isolation is the inside, whatever the machine looks like', () =>
    expect(toHostPlace(ISOLATED, OPTIONS)).toEqual({
      node: '/opt/omnigent/bin/node',
      bundle: '/opt/omnigent/host/main.js',
      home: '/home/omnigent',
      searchPath: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/omnigent/bin',
      compileCache: '/opt/omnigent/compile-cache',
    }));

  it('without isolation is the machine', () =>
    expect(toHostPlace(NONE, OPTIONS)).toEqual({
      node: '/nvm/node',
      bundle: '/lib/host/main.js',
      home: '/state/sandboxes/app/home',
      searchPath: '/nvm:/usr/bin',
      compileCache: null,
    }));
});

describe('buildHostCommand', () => {
  it('names server and end, and no secret', () =>
    expect(buildHostCommand(toHostPlace(ISOLATED, OPTIONS), 'http://127.0.0.1:7070')).toEqual([
      '/opt/omnigent/bin/node',
      '/opt/omnigent/host/main.js',
      '--server',
      'http://127.0.0.1:7070',
      '--exit-when-unreachable',
      '600',
    ]));
});

describe('buildHostEnvironment', () => {
  const place = toHostPlace(ISOLATED, OPTIONS);

  it('is made of nothing but what is known here', () =>
    expect(buildHostEnvironment(place, REQUEST, { HTTPS_PROXY: 'http://proxy' })).toEqual({
      LANG: 'C.UTF-8',
      USER: 'sandbox',
      LOGNAME: 'sandbox',
      SHELL: '/bin/bash',
      PATH: place.searchPath,
      NODE_COMPILE_CACHE: '/opt/omnigent/compile-cache',
      HTTPS_PROXY: 'http://proxy',
      A: '1',
      HOME: '/home/omnigent',
      IS_SANDBOX: '1',
      OMNIGENT_HOST_ID: 'h0123456789ab',
      OMNIGENT_HOST_NAME: 'app',
      OMNIGENT_HOST_TOKEN: 'secret',
    }));

  it('lets a request change the search path and no identity', () => {
    const env = { PATH: '/x', HOME: '/x', IS_SANDBOX: '0', OMNIGENT_HOST_ID: 'h', OMNIGENT_HOST_TOKEN: 't' };
    expect(buildHostEnvironment(place, { ...REQUEST, env }, {})).toMatchObject({
      PATH: '/x',
      HOME: '/home/omnigent',
      IS_SANDBOX: '1',
      OMNIGENT_HOST_ID: 'h0123456789ab',
      OMNIGENT_HOST_TOKEN: 'secret',
    });
  });
});
