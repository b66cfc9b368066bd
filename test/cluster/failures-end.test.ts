/** Pods that are ended while they start or run: for memory, for disk, by another hand, by a drain. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Diagnosis } from '@omnigent/protocol';
import { HAS_CLUSTER, HOST_ADDRESS, kubectl } from './harness/cluster.ts';
import { startGitServer } from './harness/git-server.ts';
import type { GitServer } from './harness/git-server.ts';
import { ensureImage } from './harness/images.ts';
import { openLaunches } from './harness/launches.ts';
import type { ClusterLaunches } from './harness/launches.ts';
import { createNamespace, listLeft } from './harness/namespace.ts';
import type { TestNamespace } from './harness/namespace.ts';

/** Nothing of this size is on any node. */
const NO_NODE = { 'omnigent.test/no-such': 'node' };

/** What every Node.js of the sandbox does first. */
const GREEDY = '--import=data:text/javascript,for(const%20a=[];;)a.push(Buffer.alloc(1<<20,1))';

const limitMemory = (memory: string) => ({
  resources: { requests: { cpu: '20m', memory: '16Mi' }, limits: { cpu: '2', memory } },
});

describe.skipIf(!HAS_CLUSTER)('a Pod that is ended', () => {
  const resources = new AsyncDisposableStack();
  let namespace: TestNamespace;
  let launches: ClusterLaunches;
  let git: GitServer;

  beforeAll(async () => {
    const image = await ensureImage('host');
    namespace = resources.use(await createNamespace());
    git = resources.use(await startGitServer(HOST_ADDRESS, { withLarge: true }));
    await kubectl(['create', 'configmap', 'git-ca', '-n', namespace.name, `--from-literal=ca.crt=${git.ca}`]);
    const section = { image, ca_bundle: { config_map: 'git-ca' } };
    launches = resources.use(await openLaunches(namespace, section));
  });
  afterAll(async () => await resources.disposeAsync());

  const evict = async (name: string) =>
    await kubectl(
      ['create', '--raw', `/api/v1/namespaces/${namespace.name}/pods/${name}/eviction`, '-f', '-'],
      JSON.stringify({
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name, namespace: namespace.name },
      }),
    );

  /** The diagnosis of a launch whose Pod was dealt with as soon as it existed. */
  async function failAfter(
    act: (name: string) => Promise<unknown>,
    section: Readonly<Record<string, unknown>>,
  ): Promise<Diagnosis> {
    const names: string[] = [];
    const acting: Promise<unknown>[] = [];
    const diagnosis = await launches.fail({
      section,
      onName: (name) => names.push(name),
      onStage: () => {
        if (acting.length === 0) acting.push(act(names[0] ?? ''));
      },
    });
    await Promise.all(acting);
    return diagnosis;
  }

  it.concurrent('for memory of its host says so with the limit', async () => {
    const diagnosis = await launches.end({
      section: { ...limitMemory('64Mi'), env_values: { NODE_OPTIONS: GREEDY } },
    });
    expect(diagnosis).toMatchObject({ code: 'host_out_of_memory' });
    expect(diagnosis.containers[0]).toMatchObject({
      name: 'host',
      reason: 'OOMKilled',
      memory_limit: '64Mi',
    });
    expect(diagnosis.message).toContain('64Mi');
  });

  it.concurrent('for memory of its clone says so with the limit', async () => {
    const section = { ...limitMemory('40Mi'), workspace_prep: 'init' };
    const diagnosis = await launches.fail({ section, repository: `${git.url}/large.git` });
    expect(diagnosis).toMatchObject({ code: 'clone_out_of_memory', stage: 'cloning' });
    expect(diagnosis.containers[0]).toMatchObject({ name: 'workspace-prep', memory_limit: '40Mi' });
    expect(diagnosis.message).toContain('40Mi');
  });

  it.concurrent('for what it wrote to its disk tells what the node said', async () => {
    const section = { home_size_limit: '1Mi', workspace_prep: 'init' };
    const diagnosis = await launches.end({ section, repository: `${git.url}/large.git` });
    expect(diagnosis).toMatchObject({ code: 'pod_evicted' });
    expect(diagnosis.message).toContain('"home" exceeds the limit "1Mi"');
  });

  it.concurrent('by another hand while it has no node yet says so', async () => {
    const remove = async (name: string) => await kubectl(['delete', 'pod', name, '-n', namespace.name]);
    const diagnosis = await failAfter(remove, { node_selector: NO_NODE });
    expect(diagnosis).toMatchObject({ code: 'pod_deleted', stage: 'scheduling', relaunchable: false });
    expect(diagnosis.message).toContain('deleted by another hand');
  });

  it.concurrent('by a drain while it starts may be launched again', async () => {
    const diagnosis = await failAfter(evict, { node_selector: NO_NODE });
    expect(diagnosis).toMatchObject({ code: 'pod_evicted', relaunchable: true });
  });

  it.concurrent('by a drain while its host runs says so', async () => {
    const name = await launches.launch();
    const ending = launches.watch(name);
    await evict(name);
    expect(await ending).toMatchObject({ code: 'pod_evicted', stage: 'connecting', relaunchable: false });
    await launches.terminate(name);
  });

  it.concurrent('because its host crashes shows the end of its log', async () => {
    const diagnosis = await launches.end({ section: { env_values: { NODE_OPTIONS: '--no-such-option' } } });
    expect(diagnosis).toMatchObject({ code: 'host_exited' });
    expect(diagnosis.log?.text).toContain('--no-such-option is not allowed in NODE_OPTIONS');
    expect(diagnosis.containers[0]).toMatchObject({ name: 'host', exit_code: 9 });
  });

  it('leaves nothing', async () => {
    await expect.poll(() => listLeft(namespace.name), { timeout: 60_000 }).toEqual([]);
  });
});
