/** The main job on the real cluster: the server as a process of this machine, with exactly the overlay's rights. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_CLUSTER, HOST_ADDRESS, kubectl } from './harness/cluster.ts';
import { GIT_TOKEN, startGitServer } from './harness/git-server.ts';
import type { GitServer } from './harness/git-server.ts';
import { ensureImage } from './harness/images.ts';
import { Installation } from './harness/installation.ts';
import { createNamespace, listLeft } from './harness/namespace.ts';
import type { TestNamespace } from './harness/namespace.ts';

describe.skipIf(!HAS_CLUSTER)('omnigent run on the cluster', () => {
  const resources = new AsyncDisposableStack();
  let namespace: TestNamespace;
  let git: GitServer;
  let omnigent: Installation;

  beforeAll(async () => {
    const image = await ensureImage('host');
    namespace = resources.use(await createNamespace());
    git = resources.use(await startGitServer(HOST_ADDRESS));
    await kubectl(['create', 'configmap', 'git-ca', '-n', namespace.name, `--from-literal=ca.crt=${git.ca}`]);
    await kubectl([
      'create',
      'secret',
      'generic',
      'harness',
      '-n',
      namespace.name,
      `--from-literal=GIT_TOKEN=${GIT_TOKEN}`,
    ]);
    const kubernetes = {
      image,
      secret_name: 'harness',
      ca_bundle: { config_map: 'git-ca' },
      env_values: { PLAIN: '$(HOME) $x' },
    };
    omnigent = resources.use(
      await Installation.start({ namespace: namespace.name, kubeconfig: namespace.kubeconfig, kubernetes }),
    );
  });
  afterAll(async () => await resources.disposeAsync());

  it('clones over https with a private CA, runs, streams, gives the status back and leaves nothing', async () => {
    const result = await omnigent.run([
      'run',
      '-q',
      '--repo',
      `${git.url}/public.git#main`,
      '--',
      'sh',
      '-c',
      'git rev-parse HEAD; pwd; echo err >&2; exit 7',
    ]);
    expect(result).toEqual({
      status: 7,
      stdout: `${git.head}\n/home/omnigent/workspace/public\n`,
      stderr: 'err\n',
    });
    expect(await listLeft(namespace.name)).toEqual([]);
  });

  it('clones a repository that needs the token of the harness Secret', async () => {
    const result = await omnigent.run(['run', '-q', '--repo', `${git.url}/private.git`, '--', 'cat', 'file']);
    expect(result).toEqual({ status: 0, stdout: 'hello\n', stderr: '' });
  });

  it('runs as the user sandbox, lets git commit and keeps values as they are', async () => {
    const script = [
      'whoami; id -u',
      'printf "%s\\n" "$PLAIN"',
      'git init -q x && cd x && git commit -q --allow-empty -m one && git log --format=%s',
    ].join('\n');
    const result = await omnigent.run(['run', '-q', '--', 'bash', '-c', script]);
    expect(result).toEqual({ status: 0, stdout: 'sandbox\n1000660000\n$(HOME) $x\none\n', stderr: '' });
  });

  it('gives no child of the host the token in its environment, and the Pod object holds it nowhere', async () => {
    await using sandbox = await omnigent.client.launch({});
    const { stdout } = await sandbox.exec('env');
    expect(stdout).not.toContain('OMNIGENT_HOST_TOKEN');
    const pod = await kubectl([
      'get',
      'pod',
      sandbox.resource.provider_id ?? '',
      '-n',
      namespace.name,
      '-o',
      'json',
    ]);
    const secret = await kubectl([
      'get',
      'secret',
      `${sandbox.resource.provider_id}-token`,
      '-n',
      namespace.name,
      '-o',
      'jsonpath={.data.OMNIGENT_HOST_TOKEN}',
    ]);
    const token = Buffer.from(secret, 'base64').toString();
    expect(token).toHaveLength(43);
    expect(pod).not.toContain(token);
    expect(pod).not.toContain(secret);
  });

  it('reaps 200 orphans', async () => {
    await using sandbox = await omnigent.client.launch({});
    await sandbox.exec('for i in $(seq 200); do sh -c "(sleep 0.05 &)"; done; sleep 1');
    const { stdout } = await sandbox.exec('ps -eo stat= | grep -c ^Z');
    expect(stdout).toBe('0\n');
  });

  it('lets SIGTERM reach the program within two seconds when the Pod is deleted', async () => {
    const sandbox = await omnigent.client.launch({});
    const program = sandbox.prepare([
      'bash',
      '-c',
      'trap "echo caught; exit 0" TERM; echo up; while :; do sleep 0.05; done',
    ]);
    const seen: string[] = [];
    let deletedAt = 0;
    for await (const record of program.output()) {
      const text = Buffer.from(record.data).toString();
      seen.push(text);
      if (text === 'up\n') {
        deletedAt = Date.now();
        await kubectl([
          'delete',
          'pod',
          sandbox.resource.provider_id ?? '',
          '-n',
          namespace.name,
          '--wait=false',
        ]);
      }
      if (text === 'caught\n') expect(Date.now() - deletedAt).toBeLessThan(2_000);
    }
    expect(seen).toContain('caught\n');
    await sandbox.terminate();
    expect(await listLeft(namespace.name)).toEqual([]);
  });

  it("tells git's own text when the branch does not exist, and leaves nothing", async () => {
    const result = await omnigent.run(['run', '--repo', `${git.url}/public.git#nope`, '--', 'true']);
    expect(result.status).toBe(125);
    expect(result.stderr).toContain('Remote branch nope not found');
    expect(await listLeft(namespace.name)).toEqual([]);
  });

  it('gives 100 MB over both streams complete and in order', async () => {
    await using sandbox = await omnigent.client.launch({});
    const { stdout } = await sandbox.exec('head -c 50000000 /dev/zero | tr "\\0" a | sha256sum');
    const digests = await Promise.all(
      ['', ' >&2'].map(async (redirect) => {
        const hash = createHash('sha256');
        for await (const { stream, data } of sandbox
          .prepare(`head -c 50000000 /dev/zero | tr "\\0" a${redirect}`)
          .output())
          if (stream !== 0) hash.update(data);
        return `${hash.digest('hex')}  -\n`;
      }),
    );
    expect(digests).toEqual([stdout, stdout]);
  });
});
