/** What a cluster that others also run puts before and beside a Pod: webhooks, sidecars, Pod Security, limits, rights. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { HAS_CLUSTER, HOST_ADDRESS, buildUserKubeconfig, kubectl } from './harness/cluster.ts';
import { ensureImage } from './harness/images.ts';
import { openLaunches } from './harness/launches.ts';
import type { ClusterLaunches } from './harness/launches.ts';
import { createNamespace, listLeft } from './harness/namespace.ts';
import { openWebhook } from './harness/webhook.ts';
import type { Verdict, Webhook } from './harness/webhook.ts';

/** A webhook's configuration reaches the API server's cache within a moment; until then it is not asked. */
const PROPAGATION = { timeout: 20_000, interval: 300 };
const LEFTOVERS = { timeout: 60_000, interval: 300 };

/** A namespace with its launches; each test has its own, because what is arranged holds for all of it. */
interface Scene extends AsyncDisposable {
  readonly namespace: string;
  readonly launches: ClusterLaunches;
  readonly image: string;
  openInjector(verdict: Verdict): Promise<Webhook>;
  /** Launches of a user who may not read events, logs, or a watch. */
  openLimited(): Promise<ClusterLaunches>;
  expectNothingLeft(): Promise<void>;
}

async function awaitWebhook(webhook: Webhook, probe: readonly string[]): Promise<void> {
  const { verdict } = webhook;
  webhook.verdict = { refusal: 'the webhook is there' };
  const ask = async () => await kubectl(probe).catch((error: unknown) => String(error));
  await vi.waitFor(async () => expect(await ask()).toContain('the webhook is there'), PROPAGATION);
  webhook.verdict = verdict;
}

async function buildLimitedKubeconfig(namespace: string): Promise<string> {
  const user = `${namespace}-limited`;
  const create = async (...args: string[]) => await kubectl(['create', ...args, '-n', namespace]);
  await create('role', 'pods', '--verb=create,get,list,delete', '--resource=pods');
  await create('role', 'tokens', '--verb=create,delete', '--resource=secrets');
  for (const role of ['pods', 'tokens']) await create('rolebinding', role, '--role', role, '--user', user);
  return buildUserKubeconfig(user);
}

async function openScene(): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const image = await ensureImage('host');
  const { name: namespace, kubeconfig } = stack.use(await createNamespace());
  const launches = stack.use(await openLaunches({ name: namespace, kubeconfig }, { image }));
  const resources = stack.move();
  return {
    namespace,
    launches,
    image,
    async openInjector(verdict) {
      const webhook = await openWebhook({ namespace, address: HOST_ADDRESS, verdict });
      resources.use(webhook);
      await awaitWebhook(webhook, ['run', 'probe', '--image', image, '-n', namespace, '--dry-run=server']);
      return webhook;
    },
    async openLimited() {
      const limited = { name: namespace, kubeconfig: await buildLimitedKubeconfig(namespace) };
      return resources.use(await openLaunches(limited, { image }));
    },
    expectNothingLeft: async () =>
      await vi.waitFor(async () => expect(await listLeft(namespace)).toEqual([]), LEFTOVERS),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const buildSidecar = (image: string, more: object = {}) => ({
  name: 'mesh',
  image,
  command: ['sh', '-c', 'trap "exit 0" TERM; sleep 600 & wait'],
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  ...more,
});

/** First in the list, as meshes do it. */
const inject = (container: object): Verdict => ({
  patch: [{ op: 'add', path: '/spec/containers/0', value: container }],
});

describe.skipIf(!HAS_CLUSTER)('a namespace', () => {
  beforeAll(async () => void (await ensureImage('host')));

  it.concurrent('whose webhook puts a sidecar first launches all the same', async () => {
    await using scene = await openScene();
    await scene.openInjector(inject(buildSidecar(scene.image)));
    const name = await scene.launches.launch();
    const path = '-o=jsonpath={.spec.containers[*].name}';
    expect(await kubectl(['get', 'pod', name, '-n', scene.namespace, path])).toBe('mesh host');
    await scene.launches.terminate(name);
  });

  it.concurrent('whose webhook injects what Pod Security refuses is told from ours', async () => {
    await using scene = await openScene();
    await scene.openInjector(inject(buildSidecar(scene.image, { securityContext: { privileged: true } })));
    const diagnosis = await scene.launches.fail();
    expect(diagnosis).toMatchObject({ code: 'pod_security', stage: 'provisioning' });
    expect(diagnosis.message).toContain('not ours, put in by admission: mesh');
    await scene.expectNothingLeft();
  });

  it.concurrent('whose webhook refuses shows its own words, once', async () => {
    await using scene = await openScene();
    await scene.openInjector({ refusal: 'only on Tuesdays' });
    const began = performance.now();
    const diagnosis = await scene.launches.fail();
    expect(diagnosis).toMatchObject({ code: 'admission_denied' });
    expect(diagnosis.message).toContain('only on Tuesdays');
    expect(performance.now() - began).toBeLessThan(10_000);
    await scene.expectNothingLeft();
  });

  it.concurrent('whose webhook is down launches once it is up', async () => {
    await using scene = await openScene();
    const webhook = await scene.openInjector({ patch: [] });
    await webhook.shut();
    const launching = scene.launches.launch();
    const list = async () => await kubectl(['get', 'secrets', '-n', scene.namespace, '-o', 'name']);
    await vi.waitFor(async () => expect(await list()).toContain('-token'), PROPAGATION);
    await webhook.open();
    await scene.launches.terminate(await launching);
  });

  it.concurrent('whose webhook stays down names it, and leaves nothing', async () => {
    await using scene = await openScene();
    const webhook = await scene.openInjector({ patch: [] });
    await webhook.shut();
    const diagnosis = await scene.launches.fail();
    expect(diagnosis).toMatchObject({ code: 'webhook_failed' });
    expect(diagnosis.message).toContain(`admission webhook "${webhook.name}" could not be called`);
    expect(diagnosis.message).toContain('connection refused');
    await scene.expectNothingLeft();
  });

  it.concurrent('with a sidecar that ends and starts again before the host launches', async () => {
    await using scene = await openScene();
    const restartPolicy = 'Always';
    const sidecar = buildSidecar(scene.image, { restartPolicy, command: ['sh', '-c', 'sleep 4; exit 1'] });
    const section = { pod_template: { spec: { initContainers: [sidecar] } } };
    const name = await scene.launches.launch({ section });
    const policy = '-o=jsonpath={.status.initContainerStatuses[?(@.name=="mesh")].started}';
    expect(await kubectl(['get', 'pod', name, '-n', scene.namespace, policy])).toMatch(/true|false/);
    await scene.launches.terminate(name);
  });

  it.concurrent('with a sidecar that cannot start before the host names it', async () => {
    await using scene = await openScene();
    const restartPolicy = 'Always';
    // Without a probe a moment in which the kubelet saw it run would count as started.
    const startupProbe = { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 100 };
    const sidecar = buildSidecar(scene.image, {
      restartPolicy,
      startupProbe,
      command: ['sh', '-c', 'exit 1'],
    });
    const section = {
      pod_template: { spec: { initContainers: [sidecar] } },
      stage_timeouts: { starting: 3 },
    };
    const diagnosis = await scene.launches.fail({ section });
    expect(diagnosis).toMatchObject({ code: 'start_timeout', stage: 'starting' });
    expect(diagnosis.message).toContain('container mesh ends before it is ready (Error, exit code 1)');
  });

  it.concurrent('whose limits refuse it says which', async () => {
    await using scene = await openScene();
    const limits = { limits: [{ type: 'Container', min: { memory: '200Mi' } }] };
    const range = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'least' }, spec: limits };
    await kubectl(['apply', '-n', scene.namespace, '-f', '-'], JSON.stringify(range));
    const diagnosis = await scene.launches.fail();
    expect(diagnosis).toMatchObject({ code: 'limit_range' });
    expect(diagnosis.message).toContain('minimum memory usage per Container is 200Mi, but request is 64Mi');
    await scene.expectNothingLeft();
  });

  it.concurrent('whose quota wants a limit that a container of others lacks says which', async () => {
    await using scene = await openScene();
    await kubectl(['create', 'quota', 'memory', '--hard=limits.memory=8Gi', '-n', scene.namespace]);
    const section = { pod_template: { spec: { containers: [buildSidecar(scene.image)] } } };
    // A quota is heeded a moment after it was made.
    const launch = async () => {
      try {
        await scene.launches.terminate(await scene.launches.launch({ section }));
        return 'launched';
      } catch (error) {
        return String(error);
      }
    };
    const expected = 'limits.memory in container mesh (status 403) (not ours, put in by admission: mesh)';
    await vi.waitFor(async () => expect(await launch()).toContain(expected), PROPAGATION);
  });

  it.concurrent('whose quota gets room in time launches', async () => {
    await using scene = await openScene();
    await kubectl(['create', 'quota', 'pods', '--hard=pods=0', '-n', scene.namespace]);
    const told: string[] = [];
    const freed: Promise<string>[] = [];
    const name = await scene.launches.launch({
      onStage: (_stage, message = '') => {
        told.push(message);
        if (message.startsWith('waiting for room') && freed.length === 0)
          freed.push(kubectl(['delete', 'quota', 'pods', '-n', scene.namespace]));
      },
    });
    await Promise.all(freed);
    expect(told.join('\n')).toContain('quota "pods" is used up');
    await scene.launches.terminate(name);
  });

  it.concurrent('that is being deleted says so', async () => {
    await using scene = await openScene();
    const held = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'held', finalizers: ['test.example/hold'] },
    };
    await kubectl(['apply', '-n', scene.namespace, '-f', '-'], JSON.stringify(held));
    await kubectl(['delete', 'namespace', scene.namespace, '--wait=false']);
    const diagnosis = await scene.launches.fail();
    expect(diagnosis).toMatchObject({ code: 'namespace_terminating' });
    const release = '{"metadata":{"finalizers":null}}';
    await kubectl(['patch', 'configmap', 'held', '-n', scene.namespace, '--type=merge', '-p', release]);
  });

  it.concurrent('that shows no watch launches by asking every two seconds', async () => {
    await using scene = await openScene();
    const limited = await scene.openLimited();
    const stages: string[] = [];
    await limited.terminate(await limited.launch({ onStage: (stage) => stages.push(stage) }));
    expect(stages.at(-1)).toBe('starting');
    await scene.expectNothingLeft();
  });

  it.concurrent('that shows neither events nor logs says so, beside the cause', async () => {
    await using scene = await openScene();
    const limited = await scene.openLimited();
    const section = { env_values: { NODE_OPTIONS: '--no-such-option' } };
    const diagnosis = await limited.end({ section });
    expect(diagnosis).toMatchObject({ code: 'host_exited', log: null, events: [] });
    expect(diagnosis.notes).toEqual([
      'no permission to read events',
      'no permission to read the log of container host',
    ]);
  });
});
