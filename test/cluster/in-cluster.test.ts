/** The overlay for local clusters, applied unedited: the server as a Pod with its ServiceAccount, and the NetworkPolicy. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createClient } from '@omnigent/client';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HAS_CLUSTER, HOST_ADDRESS, ROOT, kubectl } from './harness/cluster.ts';
import { ensureImage, tagImage } from './harness/images.ts';
import { API_TOKEN, runCommand } from './harness/installation.ts';
import { listLeft } from './harness/namespace.ts';

const OVERLAY = join(ROOT, 'deploy/kubernetes/overlays/local');

/** What this machine, which is the node, meets when it connects: `open`, or the system's own word. */
async function tryConnect(host: string, port: number): Promise<string> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(2_000) });
    return 'open';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    socket.destroy();
  }
}

describe.skipIf(!HAS_CLUSTER)('the server in the cluster', () => {
  const resources = new AsyncDisposableStack();
  let url: string;
  let directory: string;

  beforeAll(async () => {
    for (const name of ['host', 'server'] as const)
      await tagImage(await ensureImage(name), `localhost/omnigent-${name}:local`);
    resources.defer(
      async () => void (await kubectl(['delete', '-k', OVERLAY, '--ignore-not-found', '--wait=true'])),
    );
    await kubectl(['apply', '-k', OVERLAY]);
    await kubectl([
      'create',
      'secret',
      'generic',
      'omnigent-token',
      '-n',
      'omnigent',
      `--from-literal=token=${API_TOKEN}`,
    ]);
    await kubectl(['rollout', 'status', 'deployment/omnigent-server', '-n', 'omnigent', '--timeout=120s']);
    url = `http://${await kubectl(['get', 'service', 'omnigent-server', '-n', 'omnigent', '-o', 'jsonpath={.spec.clusterIP}'])}`;
    directory = await mkdtemp(join(tmpdir(), 'omnigent-in-cluster-'));
    resources.defer(() => rm(directory, { recursive: true, force: true }));
  });
  afterAll(async () => await resources.disposeAsync());

  const run = async (...args: string[]) => await runCommand(args, { url, directory });

  it('runs the main job with its own ServiceAccount and the Service as its address, and leaves nothing', async () => {
    const result = await run('run', '-q', '--', 'sh', '-c', 'whoami; echo err >&2; exit 7');
    expect(result).toEqual({ status: 7, stdout: 'sandbox\n', stderr: 'err\n' });
    expect(await listLeft('omnigent-sandboxes')).toEqual([]);
  });

  it('lets a sandbox reach DNS and the server, and neither API server, node, other sandboxes nor the metadata address', async () => {
    await using other = await createClient({ url, token: API_TOKEN }).launch({});
    await other.prepare(['node', '-e', 'require("node:net").createServer().listen(9000)']).ensureStarted();
    const podName = other.resource.provider_id ?? '';
    const pod = ['get', 'pod', podName, '-n', 'omnigent-sandboxes', '-o', 'jsonpath={.status.podIP}'];
    // The host can have dialled back before the kubelet reports where it is.
    await expect.poll(() => kubectl(pod), { timeout: 60_000 }).not.toBe('');
    const address = await kubectl(pod);
    // The node itself always reaches its Pods: the port is open, and the policy alone shuts it for others.
    await expect.poll(() => tryConnect(address, 9000), { timeout: 30_000 }).toBe('open');
    const places = {
      server: 'omnigent-server.omnigent.svc/80',
      api: 'kubernetes.default.svc/443',
      node: `${HOST_ADDRESS}/10250`,
      sandbox: `${address}/9000`,
      metadata: '169.254.169.254/80',
    };
    // The policy of a new Pod is enforced within seconds, not at once.
    const script = `sleep 6; ${Object.entries(places)
      .map(
        ([name, place]) =>
          `timeout 3 bash -c 'exec 3<>/dev/tcp/${place}' 2>/dev/null && echo ${name} open || echo ${name} shut`,
      )
      .join('; ')}`;
    const result = await run('run', '-q', '--', 'bash', '-c', script);
    expect(result.stdout).toBe('server open\napi shut\nnode shut\nsandbox shut\nmetadata shut\n');
  });
});
