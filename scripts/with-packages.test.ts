import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'with-packages-'));
  for (const folder of ['scripts', 'node_modules/.bin', 'bin'])
    await mkdir(join(root, folder), { recursive: true });
  await copyFile(fileURLToPath(new URL('with-packages.mjs', import.meta.url)), join(root, 'scripts/run.mjs'));
  await writeFile(
    join(root, 'scripts/script.ts'),
    'const code: number = Number(process.argv[2]);\nprocess.exit(code);\n',
  );
  // Stands in the place of npm: writes down how it was called and makes what an installation makes.
  await writeFile(
    join(root, 'bin/npm'),
    `#!/bin/sh\necho "$*" >>calls\ncp package-lock.json node_modules/.package-lock.json\nln -sf '${process.execPath}' node_modules/.bin/node\n`,
  );
  await chmod(join(root, 'bin/npm'), 0o755);
  await writeLock('package-lock.json', { a: '1.0.0', b: '2.0.0' });
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function writeLock(path: string, versions: Readonly<Record<string, string>>): Promise<void> {
  const entries = Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version }]);
  await writeFile(join(root, path), JSON.stringify({ packages: Object.fromEntries(entries) }));
}

/** Runs the script and resolves to its exit status and to how npm was called. */
async function run(argument: string): Promise<{ status: number; calls: string }> {
  const env = { ...process.env, PATH: `${root}/bin:${process.env.PATH}` };
  const status = await new Promise<number>((resolve) => {
    const child = execFile(process.execPath, ['scripts/run.mjs', 'scripts/script.ts', argument], {
      cwd: root,
      env,
    });
    child.on('close', (code) => resolve(code ?? -1));
  });
  return { status, calls: await readFile(join(root, 'calls'), 'utf8').catch(() => '') };
}

test('on a fresh clone the packages are installed before the script runs on the Node.js among them', async () => {
  expect(await run('7')).toEqual({ status: 7, calls: 'ci --loglevel=error\n' });
});

test('packages that are those of the lock file are left alone', async () => {
  await symlink(process.execPath, join(root, 'node_modules/.bin/node'));
  await writeLock('node_modules/.package-lock.json', { a: '1.0.0', b: '2.0.0', extra: '1.0.0' });
  expect(await run('0')).toEqual({ status: 0, calls: '' });
});

test.each([{ a: '1.0.0' }, { a: '1.0.0', b: '2.0.1' }])(
  'packages %j are stale and installed anew',
  async (versions) => {
    await symlink(process.execPath, join(root, 'node_modules/.bin/node'));
    await writeLock('node_modules/.package-lock.json', versions);
    expect((await run('0')).calls).toBe('ci --loglevel=error\n');
  },
);
