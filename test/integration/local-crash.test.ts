/** Servers that are killed in the middle of a launch, and servers that are not root: nothing is left unmanageable. */
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildId, systemRandomBytes } from '@omnigent/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Machine, NOBODY, findMarkedProcesses } from './local/machine.ts';

const LAUNCH = fileURLToPath(new URL('local/launch-script.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;

let machine: Machine;
let hostId = '';
const children: ChildProcess[] = [];
beforeEach(async () => {
  machine = await Machine.create({ config: { isolation: 'bubblewrap' } });
  hostId = buildId('h', systemRandomBytes);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await machine[Symbol.asyncDispose]();
});

/** Starts a launch in a process of its own; resolves with the sandbox's id, before anything is made. */
async function startLaunch(options: {
  readonly stateDirectory: string;
  readonly script?: string;
  readonly repository?: string;
  readonly prefix?: readonly string[];
}) {
  const { stateDirectory, script = 'sleep 300', repository, prefix = [] } = options;
  const request = JSON.stringify({ script, hostId });
  const launch = [process.execPath, '--conditions=source', LAUNCH, stateDirectory, request];
  const [program = '', ...args] = [...prefix, ...launch, ...(repository === undefined ? [] : [repository])];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const id = String((await lines.next()).value);
  return { id, child, started: async () => expect((await lines.next()).value).toBe('started') };
}

/** Removes what a new server finds, and returns what is left then. */
async function sweep(): Promise<string[]> {
  for await (const { providerId } of machine.launcher.list(machine))
    await machine.launcher.terminate(providerId, machine);
  return [...(await machine.findRest()), ...(await findMarkedProcesses(new Set([hostId])))];
}

/** A repository whose clone takes a moment. */
function makeRepository(): string {
  const directory = join(machine.stateDirectory, 'original');
  const script = `git init -q ${directory}; cd ${directory}; for i in $(seq 100); do head -c 20000 /dev/urandom > $i; done
    git add .; git -c user.name=x -c user.email=x@example.com commit -qm one`;
  execFileSync('sh', ['-c', script]);
  return directory;
}

describe('a server that is killed', () => {
  const steps: readonly (readonly [string, (root: string) => boolean])[] = [
    ['before anything is made', () => true],
    ['when the directory is made', (root) => existsSync(root)],
    ['when the intent is recorded', (root) => existsSync(join(root, 'sandbox.json'))],
    ['when the clone has begun', (root) => existsSync(join(root, 'home/workspace/clone'))],
    ['when the host is started', (root) => existsSync(join(root, 'host.log'))],
    [
      'when the host is recorded',
      (root) =>
        existsSync(join(root, 'host.log')) &&
        readFileSync(join(root, 'sandbox.json'), 'utf8').includes('"pid"'),
    ],
  ];

  it.each(steps)('%s leaves what the sweep removes', async (_, isThere) => {
    const { stateDirectory } = machine;
    const { id, child } = await startLaunch({ stateDirectory, repository: makeRepository() });
    const root = join(stateDirectory, 'sandboxes', id);
    const isStepReached = async () => (isThere(root) ? true : undefined);
    await Promise.race([waitForever(isStepReached), once(child, 'exit')]);
    child.kill('SIGKILL');
    await once(child, 'exit').catch(() => undefined);
    expect(await sweep()).toEqual([]);
  });

  it('leaves a sandbox that runs on, is found by the next server, and is ended by it', async () => {
    const { stateDirectory } = machine;
    const { id, child, started } = await startLaunch({ stateDirectory, script: 'echo up; sleep 300' });
    await started();
    await machine.waitForLog(id, /up/);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await machine.launcher.inspect(id, machine)).toEqual({ state: 'running' });
    expect(await sweep()).toEqual([]);
  });

  it('in the middle of a removal leaves what the next one finishes', async () => {
    const { id } = await machine.launch(
      'cd; for i in $(seq 1000); do mkdir -p a/$i; done; echo made; sleep 300',
    );
    await machine.waitForLog(id, /made/);
    const interrupted = AbortSignal.timeout(1);
    await machine.launcher.terminate(id, { signal: interrupted }).catch(() => undefined);
    expect(await sweep()).toEqual([]);
  });
});

/** Looks without a pause, so that the step is hit and not what comes after it. */
async function waitForever(ask: () => Promise<true | undefined>): Promise<void> {
  while ((await ask()) === undefined) await new Promise((resolve) => setImmediate(resolve));
}

describe.runIf(isRoot)('a server of an ordinary user', () => {
  it('isolates sandboxes and ends them like one of root', async () => {
    const stateDirectory = await Machine.makeDirectory(NOBODY);
    await using theirs = await Machine.create({ stateDirectory, config: { isolation: 'bubblewrap' } });
    const prefix = ['setpriv', '--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'];
    const script =
      'id -un; touch ~/mine && echo home; ls -A /root 2>/dev/null; setsid sleep 300 & echo up; sleep 300';
    const { id, started } = await startLaunch({ stateDirectory, script, prefix });
    await started();
    expect(await theirs.waitForLog(id, /up\n/)).toBe('sandbox\nhome\nup\n');
    const owners = (await findMarkedProcesses(new Set([hostId]))).map((line) =>
      execFileSync('stat', ['-c', '%u', `/proc/${line.split(' ')[0]}`], { encoding: 'utf8' }).trim(),
    );
    expect(new Set(owners)).toEqual(new Set([String(NOBODY)]));
    const end = `import('${new URL('local/machine.ts', import.meta.url).href}').then(async ({ openLauncher }) => {
      const launcher = await openLauncher(${JSON.stringify(stateDirectory)});
      await launcher.terminate(${JSON.stringify(id)}, { signal: AbortSignal.timeout(30_000) });
      process.exit(0);
    })`;
    execFileSync('env', [...prefix, process.execPath, '--conditions=source', '-e', end]);
    expect(await findMarkedProcesses(new Set([hostId]))).toEqual([]);
    expect(await theirs.findRest()).toEqual([]);
  });
});
