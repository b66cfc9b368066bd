/** What launches ask of a real API server, with exactly the rights of the overlay: a few writes, and one watch for all. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLauncher } from '@omnigent/launcher';
import type { SandboxLauncher } from '@omnigent/launcher';
import { systemClock, systemRandomBytes } from '@omnigent/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HAS_CLUSTER, HOST_ADDRESS } from './harness/cluster.ts';
import { startCountingProxy } from './harness/counting-proxy.ts';
import type { CountingProxy } from './harness/counting-proxy.ts';
import { ensureImage } from './harness/images.ts';
import { SMALL } from './harness/installation.ts';
import { createNamespace, listLeft } from './harness/namespace.ts';
import type { TestNamespace } from './harness/namespace.ts';

const signal = AbortSignal.timeout(170_000);
/** Nobody listens there: hosts run and go on dialling. */
const NOWHERE = `http://${HOST_ADDRESS}:9/`;

describe.skipIf(!HAS_CLUSTER)('launches on the cluster', () => {
  const resources = new AsyncDisposableStack();
  let namespace: TestNamespace;
  let proxy: CountingProxy;
  let launcher: SandboxLauncher;

  beforeAll(async () => {
    const image = await ensureImage('host');
    namespace = resources.use(await createNamespace());
    proxy = resources.use(await startCountingProxy(namespace.kubeconfig));
    const directory = await mkdtemp(join(tmpdir(), 'omnigent-requests-'));
    resources.defer(() => rm(directory, { recursive: true }));
    const kubeconfig = join(directory, 'kubeconfig');
    await writeFile(kubeconfig, proxy.kubeconfig);
    launcher = await createLauncher({
      provider: 'kubernetes',
      config: { kubeconfig, in_cluster: false, namespace: namespace.name, image, resources: SMALL },
      environment: {},
      instance: 'requests',
      stateDirectory: directory,
      nodePath: '',
      hostBundle: '',
      clock: systemClock,
      randomBytes: systemRandomBytes,
    });
    resources.defer(() => launcher.close());
  });
  afterAll(async () => await resources.disposeAsync());
  beforeEach(() => void proxy.requests.splice(0));

  async function launch(index: number): Promise<string> {
    const id = await launcher.provision('requests', { signal });
    const request = {
      sandboxId: `s${index}`,
      hostId: `h${String(index).padStart(12, '0')}`,
      hostName: `requests-${index}`,
      token: Buffer.from(systemRandomBytes(32)).toString('base64url'),
      serverUrl: NOWHERE,
      repositories: [],
      owner: 'somebody',
      env: {},
      lifetimeSeconds: 600,
    };
    await launcher.startHost(id, request, { signal, onStage: () => undefined });
    return id;
  }

  const countWrites = () => proxy.requests.filter((line) => !line.startsWith('GET ')).length;
  const listReads = () => proxy.requests.filter((line) => line.startsWith('GET '));

  it('take three writes, one list and one watch, however many they are', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, (_, index) => launch(index)));
    await expect.poll(countWrites).toBe(3 * 8);
    const reads = listReads();
    expect(reads.filter((line) => line.includes('watch='))).toHaveLength(1);
    expect(reads).toHaveLength(2);
    await Promise.all(ids.map((id) => launcher.terminate(id, { signal })));
    expect(await listLeft(namespace.name)).toEqual([]);
  });

  it('use the watch that is there', async () => {
    const id = await launch(20);
    expect(listReads()).toEqual([]);
    await launcher.terminate(id, { signal });
    expect(await launcher.inspect(id, { signal })).toEqual({ state: 'gone', diagnosis: null });
  });

  it('are checked by a sandbox that tries to dial, and says what it met', async () => {
    const findings = await launcher.preflight({ signal, deep: true, serverUrl: NOWHERE });
    const [probe] = findings.filter(({ code }) => code === 'probe');
    expect(probe).toMatchObject({ severity: 'error' });
    expect(probe?.message).toContain('ECONNREFUSED');
    expect(findings.filter(({ severity, code }) => severity === 'error' && code !== 'probe')).toEqual([]);
    expect(await listLeft(namespace.name)).toEqual([]);
  });
});
