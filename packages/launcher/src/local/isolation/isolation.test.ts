import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IsolationProbe, resolveIsolation } from './isolation.ts';

let directory = '';
let hostBundle = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'omnigent-isolation-'));
  await chmod(directory, 0o755);
  hostBundle = join(directory, 'main.js');
  await writeFile(hostBundle, 'process.exit(0);\n');
});
afterEach(async () => await rm(directory, { recursive: true }));

/** A `bwrap` that says this and fails. */
async function fakeBwrap(script: string): Promise<string> {
  const path = join(directory, 'bwrap');
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return directory;
}

/** Processes that see the host bundle of this test where a sandbox sees it. */
async function findInside(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const mounts = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '')),
  );
  return pids.filter((_, index) => mounts[index]?.includes(`${directory} /opt/omnigent/host`));
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function buildOptions(isolation: 'auto' | 'bubblewrap' | 'none', path: string | undefined) {
  return {
    config: { isolation },
    environment: { PATH: path, XDG_CACHE_HOME: join(directory, 'cache') },
    nodePath: process.execPath,
    hostBundle,
    isRoot: process.getuid?.() === 0,
    signal: AbortSignal.timeout(60_000),
  };
}

describe('resolveIsolation', () => {
  it('finds that bubblewrap works here', async () =>
    expect(await resolveIsolation(buildOptions('auto', process.env['PATH']))).toMatchObject({
      kind: 'bubblewrap',
      nodePath: process.execPath,
      compileCache: expect.stringContaining(join(directory, 'cache/omnigent/host-')),
    }));

  it('tries nothing when none is asked for', async () =>
    expect(await resolveIsolation(buildOptions('none', '/nonexistent'))).toEqual({
      kind: 'none',
      warning: null,
    }));

  it('says what bubblewrap said', async () => {
    const path = await fakeBwrap('echo "bwrap: No permissions to create new namespace" >&2; exit 1');
    expect(await resolveIsolation(buildOptions('auto', path))).toMatchObject({
      kind: 'none',
      warning: expect.stringContaining('(bwrap: No permissions to create new namespace'),
    });
  });

  it.each([
    ['ends without a word', 'exit 5', 'bwrap ended with 5'],
    ['is killed', 'kill -KILL $$', 'bwrap ended with SIGKILL'],
  ])('says how a bubblewrap that %s did so', async (_, script, text) =>
    expect(await resolveIsolation(buildOptions('auto', await fakeBwrap(script)))).toMatchObject({
      warning: expect.stringContaining(text),
    }),
  );

  it('ends a look that hangs when it is cancelled, with everything that runs inside', async () => {
    await writeFile(hostBundle, 'setInterval(() => undefined, 1000);\n');
    const controller = new AbortController();
    const options = { ...buildOptions('auto', process.env['PATH']), signal: controller.signal };
    const looking = resolveIsolation(options);
    while ((await findInside()).length === 0) await nextTurn();
    controller.abort();
    await expect(looking).rejects.toMatchObject({ code: 'canceled' });
    while ((await findInside()).length > 0) await nextTurn();
  });

  it('refuses when bubblewrap is demanded', async () =>
    await expect(resolveIsolation(buildOptions('bubblewrap', '/nonexistent'))).rejects.toMatchObject({
      code: 'isolation_unavailable',
      message: expect.stringContaining('bwrap is not installed'),
    }));
});

describe('IsolationProbe', () => {
  it('notices that the machine was repaired, and looks no more once it works', async () => {
    const path = await fakeBwrap('exit 1');
    const probe = new IsolationProbe(buildOptions('bubblewrap', path));
    await expect(probe.get()).rejects.toThrow('demanded');
    await fakeBwrap('exit 0');
    expect((await probe.get()).kind).toBe('bubblewrap');
    await fakeBwrap('exit 1');
    expect((await probe.get()).kind).toBe('bubblewrap');
  });

  it('is not asked twice by two launches at once', async () => {
    const count = join(directory, 'count');
    const probe = new IsolationProbe(buildOptions('auto', await fakeBwrap(`echo x >> ${count}`)));
    await Promise.all([probe.get(), probe.get(), probe.get()]);
    expect(await readFile(count, 'utf8')).toBe('x\n');
  });
});
