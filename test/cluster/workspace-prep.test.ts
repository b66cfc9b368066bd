/** The form with an init container that clones, and an image that has python3 instead of tini. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_CLUSTER, HOST_ADDRESS, kubectl } from './harness/cluster.ts';
import { GIT_TOKEN, startGitServer } from './harness/git-server.ts';
import type { GitServer } from './harness/git-server.ts';
import { ensurePythonImage } from './harness/images.ts';
import { Installation } from './harness/installation.ts';
import { createNamespace, listLeft } from './harness/namespace.ts';
import type { TestNamespace } from './harness/namespace.ts';

describe.skipIf(!HAS_CLUSTER)('workspace_prep: init, without tini', () => {
  const resources = new AsyncDisposableStack();
  let namespace: TestNamespace;
  let git: GitServer;
  let omnigent: Installation;

  beforeAll(async () => {
    namespace = resources.use(await createNamespace());
    git = resources.use(await startGitServer(HOST_ADDRESS));
    const create = async (...args: string[]) => await kubectl(['create', '-n', namespace.name, ...args]);
    await create('configmap', 'git-ca', `--from-literal=ca.crt=${git.ca}`);
    await create('secret', 'generic', 'harness', `--from-literal=GIT_TOKEN=${GIT_TOKEN}`);
    const kubernetes = {
      image: await ensurePythonImage(),
      workspace_prep: 'init',
      secret_name: 'harness',
      ca_bundle: { config_map: 'git-ca' },
    };
    const { name, kubeconfig } = namespace;
    omnigent = resources.use(await Installation.start({ namespace: name, kubeconfig, kubernetes }));
  });
  afterAll(async () => await resources.disposeAsync());

  it('clones a private repository before the host starts, and runs programs in the clone', async () => {
    const script = 'cat file; pwd; git log -1 --format=%H; cat /proc/1/comm; exit 7';
    const repository = `${git.url}/private.git#main`;
    const result = await omnigent.run(['run', '-q', '--repo', repository, '--', 'sh', '-c', script]);
    expect(result).toEqual({
      status: 7,
      stdout: `hello\n/home/omnigent/workspace/private\n${git.head}\npython3\n`,
      stderr: '',
    });
    expect(await listLeft(namespace.name)).toEqual([]);
  });

  it("tells git's own text when the branch does not exist, and leaves nothing", async () => {
    const repository = `${git.url}/public.git#nope`;
    const { status, stderr } = await omnigent.run(['run', '--repo', repository, '--', 'true']);
    expect(status).toBe(125);
    expect(stderr).toContain('Remote branch nope not found');
    expect(await listLeft(namespace.name)).toEqual([]);
  });

  it('reaps orphans, and lets SIGTERM reach the program', async () => {
    const sandbox = await omnigent.client.launch({});
    await sandbox.exec('for i in $(seq 50); do sh -c "(sleep 0.05 &)"; done; sleep 1');
    const zombies = await sandbox.exec('ps -eo stat= | grep -c ^Z');
    expect(zombies.stdout).toBe('0\n');
    const program = sandbox.prepare([
      'bash',
      '-c',
      'trap "echo caught; exit 0" TERM; echo up; while :; do sleep 0.05; done',
    ]);
    const seen: string[] = [];
    const podName = sandbox.resource.provider_id ?? '';
    for await (const { data } of program.output()) {
      seen.push(Buffer.from(data).toString());
      if (seen.at(-1) === 'up\n')
        await kubectl(['delete', 'pod', podName, '-n', namespace.name, '--wait=false']);
    }
    expect(seen).toContain('caught\n');
    await sandbox.terminate();
    expect(await listLeft(namespace.name)).toEqual([]);
  });
});
