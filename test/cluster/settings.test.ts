/** Optional settings where the cluster shows them: volumes, rotation, placement, rights of the node, the host's configuration. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { mkdtemp, rm, writeFile, chmod, chown } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HAS_CLUSTER, kubectl } from './harness/cluster.ts';
import { ensureImage } from './harness/images.ts';
import { Installation } from './harness/installation.ts';
import { openLaunches } from './harness/launches.ts';
import type { ClusterLaunches } from './harness/launches.ts';
import { createNamespace, listLeft } from './harness/namespace.ts';
import type { TestNamespace } from './harness/namespace.ts';

const SANDBOX_UID = 1_000_660_000;
/** What quoting, YAML and shells break. */
const HOST_CONFIG = {
  'key: with # signs': '$(HOME) ${HOME} `id` \\ "quoted" \'single\'\nsecond line\ttab',
  unicode: 'Größe 雪 \u{1f600}',
  nested: { list: [1, 2.5, true, null, ''] },
};

/** A claim on a directory of the node, which this machine is. */
function buildVolume(name: string, namespace: string, path: string): string {
  const storage = { storage: '1Mi' };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name },
        spec: {
          capacity: storage,
          accessModes: ['ReadWriteMany'],
          storageClassName: name,
          persistentVolumeReclaimPolicy: 'Retain',
          hostPath: { path },
        },
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data', namespace },
        spec: { accessModes: ['ReadWriteMany'], storageClassName: name, resources: { requests: storage } },
      },
    ],
  });
}

describe.skipIf(!HAS_CLUSTER)('settings on a cluster', () => {
  const resources = new AsyncDisposableStack();
  let namespace: TestNamespace;
  let image: string;
  let launches: ClusterLaunches;

  beforeAll(async () => {
    image = await ensureImage('host');
    namespace = resources.use(await createNamespace());
    launches = resources.use(await openLaunches(namespace, { image }));
  });
  afterAll(async () => await resources.disposeAsync());

  const inNamespace = async (...args: string[]) => await kubectl([...args, '-n', namespace.name]);

  async function start(section: object): Promise<Installation> {
    const { name, kubeconfig } = namespace;
    return await Installation.start({ namespace: name, kubeconfig, kubernetes: { image, ...section } });
  }

  async function createClaim(): Promise<AsyncDisposable> {
    const directory = await mkdtemp(join(tmpdir(), 'omnigent-volume-'));
    await writeFile(join(directory, 'model'), 'of the claim\n');
    await chown(directory, SANDBOX_UID, SANDBOX_UID);
    await chmod(directory, 0o755);
    await kubectl(['apply', '-f', '-'], buildVolume(namespace.name, namespace.name, directory));
    return {
      async [Symbol.asyncDispose]() {
        await inNamespace('delete', 'pvc', 'data', '--ignore-not-found');
        await kubectl(['delete', 'pv', namespace.name, '--ignore-not-found']);
        await rm(directory, { recursive: true });
      },
    };
  }

  it.concurrent('mount claims for reading, and for writing when that is asked for', async () => {
    await using _claim = await createClaim();
    const mount = { claim_name: 'data', mount_path: '/data' };
    const script = 'cat /data/model; echo new 2>/dev/null > /data/new && cat /data/new || echo read-only';
    await using reader = await start({ pvc_mounts: [mount] });
    const read = await reader.run(['run', '-q', '--', 'sh', '-c', script]);
    expect(read).toMatchObject({ status: 0, stdout: 'of the claim\nread-only\n' });
    await using writer = await start({ pvc_mounts: [{ ...mount, read_only: false }] });
    const written = await writer.run(['run', '-q', '--', 'sh', '-c', script]);
    expect(written).toMatchObject({ status: 0, stdout: 'of the claim\nnew\n' });
  });

  it.concurrent('name a claim that does not exist', async () => {
    const pvc = [{ claim_name: 'no-such-claim', mount_path: '/data' }];
    const section = { pvc_mounts: pvc, stage_timeouts: { scheduling: 20 } };
    const diagnosis = await launches.fail({ section });
    expect(diagnosis.message).toContain('no-such-claim');
    expect(diagnosis).toMatchObject({ code: 'volume_failed', stage: 'scheduling' });
  });

  it.concurrent('mount a Secret that programs read, that they cannot write, and whose rotation they see', async () => {
    await inNamespace('create', 'secret', 'generic', 'cloud', '--from-literal=key=old');
    await using omnigent = await start({ secret_mounts: [{ secret_name: 'cloud', mount_path: '/cloud' }] });
    await using sandbox = await omnigent.client.launch({});
    const read = async () => (await sandbox.exec('cat /cloud/key; stat -L -c " %a" /cloud/key')).stdout;
    expect(await read()).toBe('old 440\n');
    expect((await sandbox.exec('touch /cloud/x 2>&1')).stdout).toContain('Read-only file system');
    const rotated = JSON.stringify({ stringData: { key: 'new' } });
    await inNamespace('patch', 'secret', 'cloud', '-p', rotated);
    await vi.waitFor(async () => expect(await read()).toBe('new 440\n'), {
      timeout: 100_000,
      interval: 1_000,
    });
  });

  it.concurrent('name a runtime class that does not exist', async () => {
    const diagnosis = await launches.fail({ section: { runtime_class: 'no-such-runtime' } });
    expect(diagnosis).toMatchObject({ code: 'runtime_class_not_found' });
    expect(diagnosis.message).toContain('no-such-runtime');
  });

  it.concurrent('say what the node says when it has no user namespaces, or give the sandbox one', async () => {
    const section = { host_users: false, stage_timeouts: { pulling: 20 } };
    const outcome = await launches.launch({ section }).then(
      async (name) => {
        const map = await inNamespace('get', 'pod', name, '-o', 'jsonpath={.spec.hostUsers}');
        await launches.terminate(name);
        return map;
      },
      (error: unknown) => String(error),
    );
    expect(outcome).toMatch(/^false$|user namespaces/i);
  });

  it.concurrent('write the host_config byte for byte', async () => {
    await using omnigent = await start({ host_config: HOST_CONFIG });
    await using sandbox = await omnigent.client.launch({});
    const { stdout } = await sandbox.exec(['cat', '/home/omnigent/.omnigent/config.yaml']);
    expect(stdout).toBe(JSON.stringify(HOST_CONFIG));
  });

  it.concurrent('leave a Pod that a node rejects to two more launches under fresh names, and say so', async () => {
    // Past the scheduler, onto a node whose labels do not match.
    const [node = ''] = (await kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}'])).split(
      ' ',
    );
    await using omnigent = await start({
      node_selector: { 'omnigent.test/no-such': 'node' },
      pod_template: { spec: { nodeName: node } },
    });
    const { status, stderr } = await omnigent.run(['run', '--', 'true']);
    expect(status).toBe(125);
    expect(stderr.match(/launching again under a fresh name/g)).toHaveLength(2);
    expect(stderr).toContain('launched 3 times, each under a fresh name');
    expect(stderr).toContain('NodeAffinity');
  });

  it.concurrent('end a launch whose host does not connect within its budget, with the times of the earlier stages', async () => {
    const section = { stage_timeouts: { connecting: 3 }, env_values: { HTTP_PROXY: 'http://127.0.0.1:9' } };
    await using omnigent = await start(section);
    const { status, stderr } = await omnigent.run(['run', '--', 'true']);
    expect(status).toBe(125);
    expect(stderr).toContain('runs but did not connect within 3 s');
    expect(stderr).toMatch(/scheduling [\d.]+ s.*pulling [\d.]+ s.*starting [\d.]+ s/s);
  });

  it('tolerate a taint of the node, which others do not', async () => {
    const taint = `omnigent.test/${namespace.name}=1`;
    const [key = ''] = taint.split('=');
    await kubectl(['taint', 'nodes', '--all', `${taint}:NoSchedule`]);
    try {
      const tolerations = [{ key, operator: 'Exists', effect: 'NoSchedule' }];
      const [name, diagnosis] = await Promise.all([
        launches.launch({ section: { tolerations } }),
        launches.fail({ section: { stage_timeouts: { scheduling: 2 } } }),
      ]);
      await launches.terminate(name);
      expect(diagnosis).toMatchObject({ code: 'schedule_timeout', stage: 'scheduling' });
      expect(diagnosis.message).toContain('1 node(s) had untolerated taint(s)');
    } finally {
      await kubectl(['taint', 'nodes', '--all', `${key}-`]);
    }
  });

  it('leave nothing', async () => {
    await expect.poll(() => listLeft(namespace.name), { timeout: 60_000 }).toEqual([]);
  });
});
