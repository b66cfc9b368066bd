/** `omnigent cp` between this machine and a real local sandbox. */
import { execFileSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import {
  lstat,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readdir,
  readlink,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Installation, collect } from './omnigent.ts';

let omnigent: Installation;
let here: string;

beforeAll(async () => {
  omnigent = await Installation.create();
  const { status, stderr } = await omnigent.run(['run', '-q', '--keep', '--name', 'demo', '--', 'true']);
  if (status !== 0) throw new Error(stderr);
}, 60_000);
afterAll(async () => {
  await omnigent.run(['rm', 'demo']);
  await omnigent[Symbol.asyncDispose]();
}, 60_000);
beforeEach(async () => {
  here = await mkdtemp(join(tmpdir(), 'omnigent-copy-'));
  return () => rm(here, { recursive: true, force: true });
});

const cp = async (...places: string[]) => await omnigent.run(['cp', ...places], { cwd: here });
const inside = async (script: string) =>
  (await omnigent.run(['exec', 'demo', '--', 'sh', '-c', script])).stdout.toString();
const succeeded = { status: 0, stderr: '' };

async function killHard(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  expect(await closed).toEqual([null, 'SIGKILL']);
}

describe('omnigent cp', () => {
  it('copies a file with its mode and time, under a name or into a directory', async () => {
    const data = randomBytes(3_000_000);
    await writeFile(join(here, 'tool'), data, { mode: 0o751 });
    await utimes(join(here, 'tool'), 1_500_000_000, 1_500_000_000);
    expect(await cp('tool', 'demo:new/deep/renamed')).toMatchObject(succeeded);
    expect(await cp('tool', 'demo:new/deep')).toMatchObject(succeeded);
    expect(await inside('cd new/deep; stat -c "%n %a %Y %s" *')).toBe(
      'renamed 751 1500000000 3000000\ntool 751 1500000000 3000000\n',
    );
    await mkdir(join(here, 'back'));
    expect(await cp('demo:new/deep/tool', 'back')).toMatchObject(succeeded);
    expect((await readFile(join(here, 'back', 'tool'))).equals(data)).toBe(true);
    const stats = await lstat(join(here, 'back', 'tool'));
    expect([stats.mode & 0o777, stats.mtimeMs]).toEqual([0o751, 1_500_000_000_000]);
    expect(await readdir(join(here, 'back'))).toEqual(['tool']);
  });

  it('copies a directory as docker cp names it', async () => {
    await mkdir(join(here, 'src', 'sub'), { recursive: true });
    await writeFile(join(here, 'src', 'sub', 'file'), 'text');
    await symlink('sub/file', join(here, 'src', 'link'));
    expect(await cp('src', 'demo:as-new')).toMatchObject(succeeded);
    expect(await cp('src', 'demo:as-new')).toMatchObject(succeeded);
    expect(await cp('src/.', 'demo:contents')).toMatchObject(succeeded);
    expect(await inside('find as-new contents | sort')).toBe(
      ['as-new', 'as-new/link', 'as-new/src', 'as-new/src/link', 'as-new/src/sub', 'as-new/src/sub/file']
        .concat([
          'as-new/sub',
          'as-new/sub/file',
          'contents',
          'contents/link',
          'contents/sub',
          'contents/sub/file',
          '',
        ])
        .join('\n'),
    );
    expect(await cp('demo:contents', 'out')).toMatchObject(succeeded);
    expect(await cp('demo:contents', 'out')).toMatchObject(succeeded);
    expect(await readdir(join(here, 'out'))).toEqual(['contents', 'link', 'sub']);
    expect(await readlink(join(here, 'out', 'contents', 'link'))).toBe('sub/file');
  });

  it('copies a link itself, or with -L what it leads to', async () => {
    await inside('mkdir -p links/d; echo x >links/f; ln -s f links/l; ln -s d links/dl; echo y >links/d/y');
    expect(await cp('demo:links/l', 'kept')).toMatchObject(succeeded);
    expect(await readlink(join(here, 'kept'))).toBe('f');
    expect(await cp('-L', 'demo:links/l', 'followed')).toMatchObject(succeeded);
    expect(await readFile(join(here, 'followed'), 'utf8')).toBe('x\n');
    expect(await cp('-L', 'demo:links/dl', 'tree')).toMatchObject(succeeded);
    expect(await readFile(join(here, 'tree', 'y'), 'utf8')).toBe('y\n');
    expect(await cp('kept', 'demo:links/again')).toMatchObject(succeeded);
    expect(await inside('readlink links/again')).toBe('f\n');
  });

  it('matches patterns in the sandbox', async () => {
    await inside(
      'mkdir -p logs/a logs/b; for f in a/1.txt a/2.log b/3.txt b/.4.txt; do echo $f >logs/$f; done',
    );
    await mkdir(join(here, 'got'));
    expect(await cp('demo:logs/*/*.txt', 'got/')).toMatchObject(succeeded);
    expect(await readdir(join(here, 'got'))).toEqual(['1.txt', '3.txt']);
    const none = await cp('demo:logs/*.nothing', 'got');
    expect(none.status).toBe(1);
    expect(none.stderr).toContain('nothing in the sandbox matches "logs/*.nothing"');
  });

  it('takes a file or tar from stdin and gives them to stdout', async () => {
    const data = randomBytes(2_000_000);
    expect(await omnigent.run(['cp', '-', 'demo:piped'], { input: data })).toMatchObject(succeeded);
    expect((await cp('demo:piped', '-')).stdout.equals(data)).toBe(true);
    await mkdir(join(here, 'tree'));
    await writeFile(join(here, 'tree', 'leaf'), 'green');
    const tar = execFileSync('tar', ['-cf', '-', 'tree'], { cwd: here });
    expect(await omnigent.run(['cp', '-', 'demo:untarred/'], { input: tar })).toMatchObject(succeeded);
    const back = await cp('demo:untarred', '-');
    expect(execFileSync('tar', ['-xOf', '-', 'tree/leaf'], { input: back.stdout, encoding: 'utf8' })).toBe(
      'green',
    );
    const broken = await omnigent.run(['cp', '-', 'demo:untarred/'], { input: tar.subarray(0, 700) });
    expect([broken.status, broken.stderr]).toEqual([1, expect.stringContaining('cut short')]);
  });

  it('keeps holes', async () => {
    execFileSync('sh', ['-c', 'truncate -s 3G hole'], { cwd: here });
    await mkdir(join(here, 'with'));
    execFileSync('mv', ['hole', 'with'], { cwd: here });
    expect(await cp('with', 'demo:with')).toMatchObject(succeeded);
    expect(await inside('stat -c "%s %b" with/hole')).toBe(`${3 * 2 ** 30} 0\n`);
  }, 120_000);

  it('goes on where a copy that was killed broke off, both ways', async () => {
    const size = 400_000_000;
    await inside(`head -c ${size} /dev/zero >big`);
    const down = omnigent.start(['cp', 'demo:big', 'big'], { cwd: here });
    const findPart = async () => (await readdir(here)).find((name) => name.includes('omnigent-part')) ?? '';
    await expect
      .poll(async () => (await lstat(join(here, await findPart()))).isFile(), { timeout: 20_000 })
      .toBe(true);
    await killHard(down);
    // A mark in what had come shows that it is kept.
    await using part = await open(join(here, await findPart()), 'r+');
    await part.write('MARK', 0);
    expect(await cp('demo:big', 'big')).toMatchObject(succeeded);
    const copied = await readFile(join(here, 'big'));
    expect([copied.length, copied.toString('latin1', 0, 5)]).toEqual([size, 'MARK\0']);
    expect(await readdir(here)).toEqual(['big']);

    const up = omnigent.start(['cp', 'big', 'demo:up/again'], { cwd: here });
    const script = 'cd up 2>/dev/null && ls -A';
    await expect.poll(() => inside(script), { timeout: 20_000 }).toMatch(/^\.omnigent-upload-/);
    await killHard(up);
    await inside('printf SIGN | dd of=$(echo up/.omnigent-upload-*) conv=notrunc status=none');
    expect(await cp('big', 'demo:up/again')).toMatchObject(succeeded);
    expect(await inside('ls -A up; stat -c %s up/again; head -c 4 up/again')).toBe(`again\n${size}\nSIGN`);
  }, 120_000);

  it('that is interrupted leaves no half of a file', async () => {
    await inside('mkdir -p many; head -c 300000000 /dev/zero >many/large');
    const copying = omnigent.start(['cp', 'demo:many', 'many'], { cwd: here });
    const listTarget = () => readdir(join(here, 'many')).catch(() => []);
    await expect.poll(listTarget, { timeout: 20_000 }).toHaveLength(1);
    const ended = collect(copying);
    copying.kill('SIGINT');
    expect((await ended).status).toBe(130);
    expect(await listTarget()).toEqual([]);
  }, 60_000);

  it.each([
    [['demo:nowhere', 'x'], 1, 'there is no "nowhere" in the sandbox'],
    [['nowhere', 'demo:x'], 1, '"nowhere": ENOENT'],
    [['demo:/proc/self/environ', 'x'], 1, '/proc'],
    [['gone:x', 'y'], 1, 'gone'],
    [['demo:x', 'demo:y'], 2, 'expected one side on this machine'],
    [['x', 'y'], 2, 'expected SANDBOX:PATH on one side'],
    [['x'], 2, 'expected at least a source and a target'],
    [['-', 'x', 'demo:y'], 2, 'expected - as the only source'],
  ])('refuses %j with %i', async (places, status, text) => {
    const result = await cp(...places);
    expect([result.status, result.stderr]).toEqual([status, expect.stringContaining(text)]);
    expect(await readdir(here)).toEqual([]);
  });
});
