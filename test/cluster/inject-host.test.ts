/** An image that knows nothing of sandboxes becomes one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_CLUSTER, HOST_ADDRESS, kubectl } from './harness/cluster.ts';
import { GIT_TOKEN, startGitServer } from './harness/git-server.ts';
import type { GitServer } from './harness/git-server.ts';
import { ensureBareImage, ensureImage } from './harness/images.ts';
import { Installation } from './harness/installation.ts';
import { createNamespace, listLeft } from './harness/namespace.ts';
import type { TestNamespace } from './harness/namespace.ts';

describe.skipIf(!HAS_CLUSTER)('inject_host with an image that has a shell and nothing else', () => {
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
      image: await ensureBareImage(),
      inject_host: { image: await ensureImage('host') },
      ca_bundle: { config_map: 'git-ca' },
      secret_name: 'harness',
      host_config: { injected: true },
    };
    const { name, kubeconfig } = namespace;
    omnigent = resources.use(await Installation.start({ namespace: name, kubeconfig, kubernetes }));
  });
  afterAll(async () => await resources.disposeAsync());

  it('clones a private repository, runs, gives the status back and leaves nothing', async () => {
    const script = 'cat file; pwd; [ -e /lib ] || echo no library; echo err >&2; exit 7';
    const repository = `${git.url}/private.git#main`;
    const result = await omnigent.run(['run', '-q', '--repo', repository, '--', 'sh', '-c', script]);
    expect(result).toEqual({
      status: 7,
      stdout: 'hello\n/home/omnigent/workspace/private\nno library\n',
      stderr: 'err\n',
    });
    expect(await listLeft(namespace.name)).toEqual([]);
  });

  it('gives programs an environment without the token and a host that they cannot change', async () => {
    await using sandbox = await omnigent.client.launch({});
    const inherited = await sandbox.exec('env');
    expect(inherited.stdout).not.toMatch(/OMNIGENT_HOST_(TOKEN|CONFIG)|LD_LIBRARY_PATH/);
    const written = await sandbox.exec('touch /run/omnigent/host/node');
    expect(written.stderr).toContain('Read-only file system');
    const config = await sandbox.exec('cat ~/.omnigent/config.yaml');
    expect(config.stdout).toBe('{"injected":true}');
  });

  it('reaps orphans', async () => {
    await using sandbox = await omnigent.client.launch({});
    await sandbox.exec('for i in $(seq 50); do sh -c "(sleep 0.05 &)"; done; sleep 1');
    const { stdout } = await sandbox.exec('cat /proc/[0-9]*/stat 2>/dev/null | grep -c ") Z " || true');
    expect(stdout).toBe('0\n');
  });
});
