import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxError } from '@omnigent/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Isolation } from '../isolation/isolation.ts';
import { checkMachine } from './check-machine.ts';

let stateDirectory = '';
beforeAll(async () => {
  stateDirectory = await mkdtemp(join(tmpdir(), 'omnigent-preflight-'));
});
afterAll(async () => await rm(stateDirectory, { recursive: true }));

async function check(changes: Partial<Parameters<typeof checkMachine>[0]> = {}) {
  const findings = await checkMachine({
    isolation: async (): Promise<Isolation> => ({ kind: 'none', warning: null }),
    nodePath: process.execPath,
    hostBundle: import.meta.filename,
    stateDirectory,
    isRoot: false,
    environment: process.env,
    signal: AbortSignal.timeout(20_000),
    ...changes,
  });
  return Object.fromEntries(findings.map((finding) => [finding.code, finding]));
}

describe('checkMachine', () => {
  it('looks at everything that a launch needs', async () => {
    const findings = await check();
    expect(Object.keys(findings)).toEqual([
      'isolation',
      'git',
      'node',
      'host_bundle',
      'state_directory',
      'disk',
      'user',
    ]);
    expect(findings['git']).toMatchObject({ severity: 'ok', message: expect.stringMatching(/^git version/) });
    expect(findings['disk']?.message).toMatch(/^\d+ MiB free at /);
  });

  it('warns of sandboxes that are not isolated, and says why', async () => {
    expect((await check())['isolation']).toMatchObject({
      severity: 'warning',
      message: expect.stringContaining('switched off'),
    });
    const isolation = async () => ({ kind: 'none', warning: 'NOT isolated: no bwrap' }) as const;
    expect((await check({ isolation }))['isolation']?.message).toBe('NOT isolated: no bwrap');
  });

  it('reports a demanded isolation that cannot be had with its advice', async () => {
    const isolation = () => Promise.reject(new SandboxError('isolation_unavailable', 'no bwrap'));
    expect((await check({ isolation }))['isolation']).toEqual({
      code: 'isolation',
      severity: 'error',
      message: 'no bwrap',
      advice: expect.stringContaining('bubblewrap'),
    });
  });

  it.each([
    ['git', { environment: { PATH: '/nonexistent' } }],
    ['node', { nodePath: '/nonexistent/node' }],
    ['host_bundle', { hostBundle: '/nonexistent/main.js' }],
    ['state_directory', { stateDirectory: '/nonexistent/state' }],
  ])('reports what is wrong with %s', async (code, changes) =>
    expect((await check(changes))[code]).toMatchObject({
      severity: 'error',
      message: expect.stringContaining('ENOENT'),
      advice: expect.any(String),
    }),
  );

  it('advises against root', async () =>
    expect((await check({ isRoot: true }))['user']?.severity).toBe('warning'));
});
