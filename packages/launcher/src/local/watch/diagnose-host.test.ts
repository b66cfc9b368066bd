import { describe, expect, it } from 'vitest';
import { diagnoseHostEnd } from './diagnose-host.ts';

const END = { providerId: 'app-0a1b2c', code: null, signal: null, log: '' };

describe('diagnoseHostEnd', () => {
  it('carries exit code and log', () =>
    expect(diagnoseHostEnd({ ...END, code: 3, log: 'no such server' })).toMatchObject({
      code: 'host_exited',
      message: 'the host of app-0a1b2c ended with exit code 3',
      stage: 'connecting',
      provider_id: 'app-0a1b2c',
      containers: [{ name: 'host', reason: 'Error', exit_code: 3, signal: null }],
      log: { container: 'host', text: 'no such server' },
      notes: [],
      relaunchable: false,
    }));

  it.each([
    [{ code: 0 }, 'ended with exit code 0'],
    [{ code: 77 }, 'was refused by the server and ended with exit code 77'],
    [{ signal: 'SIGSEGV' }, 'was killed by SIGSEGV'],
    [{ code: 139 }, 'was killed by SIGSEGV'],
    [{ code: 255 }, 'ended with exit code 255'],
    [{}, 'ended'],
  ])('of %j says how it ended', (end, text) =>
    expect(diagnoseHostEnd({ ...END, ...end }).message).toBe(`the host of app-0a1b2c ${text}`),
  );

  it('says what SIGKILL often means', () =>
    expect(diagnoseHostEnd({ ...END, code: 137 })).toMatchObject({
      containers: [{ reason: 'SIGKILL', exit_code: null, signal: 9 }],
      notes: [expect.stringContaining('memory')],
    }));

  it('tells a failure of the isolation from one of the host', () => {
    const log = "bwrap: Can't find source path /srv/models: No such file or directory";
    expect(diagnoseHostEnd({ ...END, code: 1, log }).code).toBe('isolation_unavailable');
    expect(diagnoseHostEnd({ ...END, code: 1, log: `${log}\nmore` }).code).toBe('host_exited');
  });
});
