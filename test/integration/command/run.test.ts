/** `omnigent run` on the local provider: the real command, server, host and isolation. */
import { createHash, randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Installation, ROOT } from './omnigent.ts';

let omnigent: Installation;
beforeAll(async () => {
  omnigent = await Installation.create();
});
afterAll(async () => await omnigent[Symbol.asyncDispose]());

async function expectNothingLeft(): Promise<void> {
  expect(await omnigent.listDirectories()).toEqual([]);
  expect(await omnigent.listProcesses()).toEqual([]);
}

describe('omnigent run', () => {
  it('clones the repository, keeps the streams apart, gives the exit status back and leaves nothing', async () => {
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });
    const result = await omnigent.run([
      'run',
      '--quiet',
      '--repo',
      '.',
      '--',
      'sh',
      '-c',
      'git rev-parse HEAD; echo err >&2; exit 7',
    ]);
    expect(result).toMatchObject({ status: 7, stderr: 'err\n' });
    expect(result.stdout.toString()).toBe(head);
    await expectNothingLeft();
  });

  it('says its stages on standard error, as one JSON object a line when asked', async () => {
    const result = await omnigent.run(['run', '--json', '--repo', '.', '--', 'true']);
    expect(result.status).toBe(0);
    expect(result.stdout.length).toBe(0);
    const lines = result.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; stage?: string; exit_code?: number });
    const stages = lines.flatMap(({ type, stage }) =>
      type === 'stage' && stage !== undefined ? [stage] : [],
    );
    expect(stages).toEqual(['provisioning', 'cloning', 'starting', 'connecting', 'ready']);
    expect(lines.at(-1)).toMatchObject({ type: 'exit', exit_code: 0 });
  });

  it.each([
    [['no-such-program'], 127, 'was not found'],
    [['/etc/hostname-that-is-not-there'], 127, 'was not found'],
    [['/usr'], 126, 'directory'],
    [['sh', '-c', 'kill -TERM $$'], 143, ''],
  ])('ends %j with %d, as shells do', async (argv, status, text) => {
    const result = await omnigent.run(['run', '--', ...argv]);
    expect(result.status).toBe(status);
    expect(result.stderr).toContain(text);
    await expectNothingLeft();
  });

  it('isolates the program: its own user, no home of the machine, no token in any environment', async () => {
    const script =
      'whoami; id -u; ls -A /root /home 2>/dev/null; env | grep -c HOST_TOKEN; ps -e -o args= | grep -c "[o]mnigent.*token"; touch /usr/x 2>&1 | grep -c Read-only';
    const result = await omnigent.run(['run', '--quiet', '--', 'sh', '-c', script]);
    expect(result.stdout.toString()).toBe('sandbox\n1000660000\n/home:\nomnigent\n0\n0\n1\n');
  });

  it('lets git commit work without any setting', async () => {
    const script =
      'git init -q . && git config user.name >/dev/null || git config user.name x; git config user.email x@y; git commit -q --allow-empty -m one && git log --format=%s';
    const result = await omnigent.run(['run', '--quiet', '--', 'sh', '-c', script]);
    expect(result.stdout.toString()).toBe('one\n');
  });

  it('gives a pipe on stdin to the program, byte for byte', async () => {
    const bytes = randomBytes(3_000_000);
    const result = await omnigent.run(['run', '--quiet', '--', 'sha256sum'], { input: bytes });
    expect(result.stdout.toString()).toBe(`${createHash('sha256').update(bytes).digest('hex')}  -\n`);
    await expectNothingLeft();
  });

  it('gives 100 MB of output over both streams complete and in order', async () => {
    const script = 'head -c 50000000 /dev/zero | tr "\\0" a; head -c 50000000 /dev/zero | tr "\\0" b >&2';
    const { status, stdout, stderr } = await omnigent.run(['run', '--quiet', '--', 'sh', '-c', script]);
    expect(status).toBe(0);
    expect(createHash('sha256').update(stdout).digest('hex')).toBe(
      createHash('sha256').update('a'.repeat(50_000_000)).digest('hex'),
    );
    expect(createHash('sha256').update(stderr).digest('hex')).toBe(
      createHash('sha256').update('b'.repeat(50_000_000)).digest('hex'),
    );
  });

  it('ends cleanly when the reader of its output goes away', async () => {
    const child = omnigent.start(['run', '--quiet', '--', 'yes']);
    child.stdout?.once('data', () => child.stdout?.destroy());
    const status = await new Promise((resolve) => child.once('exit', resolve));
    expect(status).toBe(141);
    await expectNothingLeft();
  });

  it('gives Ctrl-C to the program, removes everything, and ends with 130', async () => {
    const child = omnigent.start([
      'run',
      '--quiet',
      '--',
      'sh',
      '-c',
      'trap "echo caught; exit 0" INT; echo up; while :; do sleep 0.1; done',
    ]);
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output === 'up\n') child.kill('SIGINT');
    });
    const status = await new Promise((resolve) => child.once('close', resolve));
    expect([status, output]).toEqual([130, 'up\ncaught\n']);
    await expectNothingLeft();
  });

  it('ends a launch at Ctrl-C in any stage and leaves nothing', async () => {
    for (const stage of ['provisioning', 'starting', 'connecting']) {
      const child = omnigent.start(['run', '--json', '--', 'sleep', '60']);
      let seen = '';
      child.stderr?.on('data', (chunk: Buffer) => {
        seen += chunk.toString();
        if (seen.includes(`"stage":"${stage}"`) && !child.killed) child.kill('SIGINT');
      });
      expect(await new Promise((resolve) => child.once('close', resolve))).toBe(130);
      await expectNothingLeft();
    }
  });

  it('kills what the program left behind, also what left its session', async () => {
    const script = 'setsid sleep 4711 >/dev/null 2>&1 & nohup sleep 4712 >/dev/null 2>&1 & echo started';
    const result = await omnigent.run(['run', '--quiet', '--', 'sh', '-c', script]);
    expect(result.stdout.toString()).toBe('started\n');
    expect(execFileSync('ps', ['-e', '-o', 'args='], { encoding: 'utf8' })).not.toMatch(/sleep 471[12]/);
    await expectNothingLeft();
  });

  it('tells what is wrong with a repository before anything is created', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'omnigent-norepo-'));
    await writeFile(join(directory, 'x'), '');
    for (const [repository, text] of [
      [directory, 'is not in a git repository'],
      ['/does/not/exist', 'does not exist'],
      ['https://user:pass@git.example.com/a/b', 'carries user info'],
      ['.#no-such-branch', 'no-such-branch'],
    ] as const) {
      const result = await omnigent.run(['run', '--repo', repository, '--', 'true']);
      expect([result.status, result.stderr.includes(text)]).toEqual([
        repository.startsWith('.') ? 125 : 2,
        true,
      ]);
      expect(result.stderr).not.toContain('user:pass');
    }
    await rm(directory, { recursive: true });
    await expectNothingLeft();
  });

  it.each([
    [['run'], 'expected a program'],
    [['run', '--lifetime', 'soon', '--', 'true'], '--lifetime: expected a duration'],
    [['run', '--env', '1X=2', '--', 'true'], '--env: expected a variable name'],
    [['run', '--name', 'A_B', '--', 'true'], '--name: expected 1 to 63'],
    [['run', '--provider', 'docker', '--', 'true'], 'docker'],
    [['run', '--no-such-flag', '--', 'true'], '--no-such-flag'],
    [['run', '--server', 'ftp://x', '--', 'true'], '--server: expected an http'],
    [['frobnicate'], 'frobnicate'],
    [[], 'expected a command'],
  ])('refuses %j with 2 and names what is wrong', async (args, text) => {
    const result = await omnigent.run(args);
    expect(result.status).toBe(2);
    expect(result.stderr).toContain(text);
    expect(result.stdout.length).toBe(0);
  });

  it('says when a server cannot be reached or refuses the token', async () => {
    const unreachable = await omnigent.run(['run', '--server', 'http://127.0.0.1:9/', '--', 'true']);
    expect([unreachable.status, unreachable.stderr.includes('127.0.0.1:9')]).toEqual([125, true]);
    // The embedded server may have ended itself meanwhile: idle and empty.
    await omnigent.run(['ls']);
    const { url } = await omnigent.readServer();
    const refused = await omnigent.run(['ls', '--server', url], { env: { OMNIGENT_TOKEN: 'not-the-token' } });
    expect([refused.status, refused.stderr.includes('bearer token')]).toEqual([1, true]);
    await omnigent.run(['ls']);
    const unknown = await omnigent.run(['exec', 'no-such-sandbox', '--', 'true']);
    expect([unknown.status, unknown.stderr.includes('no-such-sandbox')]).toEqual([1, true]);
  });
});

describe('a kept sandbox', () => {
  it('takes further programs, lists them, and goes with rm', async () => {
    const kept = await omnigent.run([
      'run',
      '--quiet',
      '--keep',
      '--name',
      'kept',
      '--',
      'sh',
      '-c',
      'echo one > file',
    ]);
    expect(kept.status).toBe(0);
    expect((await omnigent.run(['exec', 'kept', '--', 'cat', 'file'])).stdout.toString()).toBe('one\n');
    expect((await omnigent.run(['ls'])).stdout.toString()).toMatch(/kept +local +Ready/);
    const started = await omnigent.run(['exec', '--detach', 'kept', '--', 'sh', '-c', 'echo out; sleep 30']);
    const id = started.stdout.toString().trim();
    expect((await omnigent.run(['ps', 'kept'])).stdout.toString()).toContain('running');
    expect((await omnigent.run(['logs', 'kept', id])).stdout.toString()).toBe('out\n');
    expect((await omnigent.run(['signal', 'kept', id, 'KILL'])).status).toBe(0);
    expect((await omnigent.run(['logs', '-f', 'kept', id])).stdout.toString()).toBe('out\n');
    expect((await omnigent.run(['rm', 'kept'])).stdout.toString()).toBe('kept\n');
    await expectNothingLeft();
  });
});

describe('omnigent plan', () => {
  it('shows Secret and Pod with the token redacted and without a cluster', async () => {
    const env = { KUBECONFIG: '/nonexistent' };
    const result = await omnigent.run(
      [
        'plan',
        '--provider',
        'kubernetes',
        '--repo',
        'https://git.example.com/a/b.git#main',
        '--name',
        'demo',
      ],
      { env },
    );
    expect(result.status).toBe(0);
    const { manifests } = JSON.parse(result.stdout.toString()) as {
      manifests: { kind: string; data?: unknown; metadata: { name: string } }[];
    };
    expect(manifests.map(({ kind }) => kind)).toEqual(['Secret', 'Pod']);
    expect(manifests[0]?.data).toEqual({ OMNIGENT_HOST_TOKEN: '***' });
    expect(manifests[1]?.metadata.name).toMatch(/^omnigent-demo-[0-9a-f]{6}$/);
  });
});
