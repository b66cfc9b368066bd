/** Launch, watch and end of local sandboxes: real processes, with and without isolation. */
import { execFileSync } from 'node:child_process';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLauncher } from '@omnigent/launcher';
import { isSandboxError } from '@omnigent/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LAUNCHER, Machine, buildRequest, openLauncher } from './local/machine.ts';
import type { Launched } from './local/machine.ts';

/** Leaves its parent, its session and its environment. */
const ESCAPE = 'setsid sh -c "env -i /bin/sleep 300 & exec sleep 300" & (sleep 300 &) ; echo escaped';

describe.each(['bubblewrap', 'none'])('a local sandbox with isolation: %s', (isolation) => {
  let machine: Machine;
  beforeEach(async () => {
    machine = await Machine.create({ config: { isolation } });
  });
  afterEach(async () => await machine[Symbol.asyncDispose]());

  async function watch({ id, hostId }: Launched) {
    return await machine.launcher.watchHost(id, { hostId, signal: machine.signal });
  }

  it('runs, is listed, and is gone without a trace after its end', async () => {
    const { id, hostId, stages, warnings } = await machine.launch('echo up');
    await machine.waitForLog(id, /up/);
    expect(stages).toEqual(['starting']);
    expect(warnings).toEqual([]);
    expect(await machine.launcher.inspect(id, machine)).toEqual({ state: 'running' });
    const listed = await Array.fromAsync(machine.launcher.list(machine));
    expect(listed).toEqual([{ providerId: id, hostId, createdAt: expect.any(Number) }]);
    await machine.launcher.terminate(id, machine);
    expect(await machine.findRest()).toEqual([]);
    expect(await machine.launcher.inspect(id, machine)).toEqual({ state: 'gone', diagnosis: null });
  });

  it('takes everything along that its programs have started', async () => {
    const { id } = await machine.launch(`${ESCAPE}; trap "" TERM; while :; do sleep 0.1; done`);
    await machine.waitForLog(id, /escaped/);
    expect((await machine.findRest()).length).toBeGreaterThan(3);
    await machine.launcher.terminate(id, machine);
    expect(await machine.findRest()).toEqual([]);
  });

  it('gives the host time to end its programs', async () => {
    const { id } = await machine.launch('echo up; exec sleep 300');
    await machine.waitForLog(id, /up/);
    await using log = await open(join(machine.stateDirectory, 'sandboxes', id, 'host.log'));
    await machine.launcher.terminate(id, machine);
    expect(await log.readFile('utf8')).toBe('up\ntold to end\n');
  });

  it('goes though its files deny all access', async () => {
    const { id } = await machine.launch('cd; mkdir -p a/b; touch a/b/c; chmod 000 a/b/c a/b a; echo closed');
    await machine.waitForLog(id, /closed/);
    await machine.launcher.terminate(id, machine);
    expect(await machine.findRest()).toEqual([]);
  });

  it('may be ended again and again, by several at once, and by another server', async () => {
    const { id } = await machine.launch('sleep 300');
    const other = await openLauncher(machine.stateDirectory, { config: { isolation } });
    expect(await other.inspect(id, machine)).toEqual({ state: 'running' });
    await Promise.all([other.terminate(id, machine), machine.launcher.terminate(id, machine)]);
    await other.terminate(id, machine);
    expect(await machine.findRest()).toEqual([]);
    await other.close();
  });

  it('says how its host ended, with the end of its log and no token', async () => {
    const launched = await machine.launch('echo "bad token: $OMNIGENT_HOST_TOKEN"; exit 3', {
      env: { STAND_IN_EXIT: '3' },
    });
    expect(await watch(launched)).toMatchObject({
      code: 'host_exited',
      message: `the host of ${launched.id} ended with exit code 3`,
      containers: [{ exit_code: 3 }],
      log: { container: 'host', text: 'bad token: ***\nscript ended with 3' },
    });
    expect(await machine.launcher.inspect(launched.id, machine)).toMatchObject({
      state: 'gone',
      diagnosis: { code: 'host_exited' },
    });
  });

  it('whose host is killed is told of, by this server and by the next', async () => {
    const { id, hostId } = await machine.launch('echo up; sleep 300');
    await machine.waitForLog(id, /up/);
    await using next = await Machine.create({
      config: { isolation },
      stateDirectory: machine.stateDirectory,
    });
    const ends = Promise.all(
      [machine, next].map(({ launcher, signal }) => launcher.watchHost(id, { hostId, signal })),
    );
    const host = (await machine.findRest()).find(
      (line) => line.includes('main.js') && !line.includes('bwrap'),
    );
    process.kill(Number(host?.split(' ')[0]), 'SIGKILL');
    const [ours, theirs] = await ends;
    expect(ours?.message).toContain('was killed by SIGKILL');
    expect(theirs?.message).toContain('ended');
    await machine.launcher.terminate(id, machine);
    expect(await machine.findRest()).toEqual([]);
  });

  it('is started anew over what an interrupted start left', async () => {
    const id = await machine.launcher.provision('test', machine);
    const first = await machine.start(id, buildRequest('echo first; sleep 300'));
    await machine.waitForLog(first.id, /first/);
    const second = await machine.start(id, buildRequest('echo second; sleep 300'));
    await machine.waitForLog(second.id, /second/);
    expect((await machine.findRest()).some((line) => line.includes(first.hostId))).toBe(false);
    await machine.launcher.terminate(id, machine);
    expect(await machine.findRest()).toEqual([]);
  });

  it('is ended by a cancelled launch, in whatever stage', async () => {
    for (const delayMs of [0, 2, 5, 10, 20, 40]) {
      const outcome = await machine
        .launch('sleep 300', { signal: AbortSignal.timeout(delayMs) })
        .then(({ id }) => machine.launcher.terminate(id, machine))
        .catch((error: unknown) => (isSandboxError(error) ? error.code : error));
      expect([undefined, 'timeout']).toContain(outcome);
      expect(await machine.findRest()).toEqual([]);
    }
  });

  it('clones repositories of this machine and shows its workspace', async () => {
    const source = join(machine.stateDirectory, 'app');
    await mkdir(source);
    await writeFile(join(source, 'file'), 'content\n');
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], { cwd: source });
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'one');
    const launched = await machine.launch(
      'cd ~/workspace/app && cat file && git log --format=%s && git status --porcelain && touch new && echo writable',
      { repositories: [{ url: source, directory: 'app' }] },
    );
    expect(await machine.waitForLog(launched.id, /ended/)).toBe(
      'content\none\nwritable\nscript ended with 0\n',
    );
    expect(launched.stages).toEqual(['cloning', 'starting']);
    expect(launched.workspace).toMatch(/\/workspace\/app$/);
    expect(launched.prepare?.repositories).toEqual([{ url: source, directory: 'app' }]);
  });

  it('that cannot be cloned fails with its code and leaves nothing', async () => {
    const repositories = [{ url: '/nonexistent/app', branch: 'main', directory: 'app' }];
    await expect(machine.launch('true', { repositories })).rejects.toMatchObject({
      name: 'LaunchError',
      code: 'clone_repository_not_found',
      diagnosis: { stage: 'cloning', log: { container: 'git', text: expect.stringContaining('fatal:') } },
    });
    expect(await machine.findRest()).toEqual([]);
  });
});

describe('the local provider', () => {
  it('warns at a launch that bubblewrap cannot work, and why', async () => {
    await using machine = await Machine.create({ environment: { PATH: '/nonexistent' } });
    const { id, warnings, workspace } = await machine.launch('true');
    expect(warnings).toEqual([expect.stringContaining('NOT isolated')]);
    expect(warnings[0]).toContain('bwrap is not installed');
    expect(workspace).toContain(machine.stateDirectory);
    await machine.launcher.terminate(id, machine);
  });

  it('refuses to launch when isolation is demanded and cannot be had', async () => {
    const config = { isolation: 'bubblewrap' };
    await using machine = await Machine.create({ config, environment: { PATH: '/nonexistent' } });
    await expect(machine.launch('true')).rejects.toMatchObject({ code: 'isolation_unavailable' });
    const findings = await machine.launcher.preflight({
      signal: machine.signal,
      deep: false,
      serverUrl: '',
    });
    expect(findings.find(({ code }) => code === 'isolation')).toMatchObject({ severity: 'error' });
    expect(await machine.findRest()).toEqual([]);
  });

  it('tries the isolation anew in a deep preflight', async () => {
    await using machine = await Machine.create({ config: { isolation: 'bubblewrap' } });
    const environment = { PATH: process.env['PATH'], XDG_CACHE_HOME: join(machine.stateDirectory, 'cache') };
    const launcher = await createLauncher({
      ...LAUNCHER,
      config: { isolation: 'bubblewrap' },
      environment,
      stateDirectory: machine.stateDirectory,
    });
    const severity = async (deep: boolean) =>
      (await launcher.preflight({ signal: machine.signal, deep, serverUrl: '' })).find(
        ({ code }) => code === 'isolation',
      )?.severity;
    expect(await severity(false)).toBe('ok');
    environment.PATH = '/nonexistent';
    expect([await severity(false), await severity(true)]).toEqual(['ok', 'error']);
  });

  it('launches on when somebody has cleared the cache of compiled code', async () => {
    await using machine = await Machine.create({ config: { isolation: 'bubblewrap' } });
    expect(await machine.runScript('ls /opt/omnigent/compile-cache | wc -l')).toBe('1\n');
    await rm(join(machine.stateDirectory, 'cache'), { recursive: true });
    expect(await machine.runScript('echo up')).toBe('up\n');
  });

  it('plans what it would start, with the token redacted, and creates nothing', async () => {
    await using machine = await Machine.create({ config: { isolation: 'bubblewrap' } });
    const request = buildRequest('true', { repositories: [{ url: '/src/app', directory: 'app' }] });
    const plan = await machine.launcher.plan(request, { signal: machine.signal, dryRun: 'none' });
    expect(plan.manifests).toMatchObject([
      {
        kind: 'LocalSandbox',
        isolation: 'bubblewrap',
        host_id: request.hostId,
        clones: [{ url: '/src/app', branch: null, directory: 'app' }],
        env: { OMNIGENT_HOST_TOKEN: '***', HOME: '/home/omnigent' },
      },
    ]);
    expect(JSON.stringify(plan)).not.toContain(request.token);
    expect(await machine.findRest()).toEqual([]);
  });

  it('refuses paths of the machine when its operator says so', async () => {
    await using machine = await Machine.create({ config: { local_repositories: false } });
    expect(machine.launcher.capabilities.local_repositories).toBe(false);
    const repositories = [{ url: '/src/app', directory: 'app' }];
    expect(() => machine.launcher.validate({ repositories, env: {} })).toThrow(
      expect.objectContaining({ code: 'invalid_repository' }),
    );
  });

  it('names the capability that it lacks', async () => {
    await using machine = await Machine.create();
    await expect(machine.launcher.suspend('x', machine)).rejects.toMatchObject({
      code: 'capability',
      details: { provider: 'local', capability: 'suspend' },
    });
  });

  it('leaves the sandboxes of another installation out of its list', async () => {
    await using machine = await Machine.create();
    const { id } = await machine.launch('sleep 300');
    const record = join(machine.stateDirectory, 'sandboxes', id, 'sandbox.json');
    const text = await readFile(record, 'utf8');
    await writeFile(record, text.replace('"instance":"test"', '"instance":"other"'));
    expect(await Array.fromAsync(machine.launcher.list(machine))).toEqual([]);
    await writeFile(record, text);
  });
});
