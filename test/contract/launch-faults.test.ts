/** Launches through every kind of interruption, on the fake API server: what is asked, what is left, what is said. */
import { LaunchError } from '@omnigent/launcher';
import type { SandboxLauncher } from '@omnigent/launcher';
import { hostRuns, readField } from '@omnigent/testkit';
import type { FakeApiServer } from '@omnigent/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FAKE_NAMESPACE, openFakeLaunches } from './launch/fake-launches.ts';
import type { FakeLaunches } from './launch/fake-launches.ts';
import { TOKEN, buildRequest } from './launch/launch-subject.ts';

const signal = AbortSignal.timeout(55_000);

let subject: FakeLaunches;
let api: FakeApiServer;
let launcher: SandboxLauncher;

beforeEach(async () => {
  subject = await openFakeLaunches();
  ({ api } = subject);
  launcher = await subject.open();
});
afterEach(async () => {
  await subject.close();
});

interface LaunchFacts {
  readonly on?: SandboxLauncher;
  readonly hostId?: string;
  readonly stop?: AbortSignal;
}

async function launch({ on = launcher, hostId = 'h000000000001', stop = signal }: LaunchFacts = {}) {
  const id = await on.provision('contract', { signal });
  const stages: string[] = [];
  const onStage = (stage: string) => stages.push(stage);
  const started = await on.startHost(id, buildRequest({ hostId }), { signal: stop, onStage });
  return { id, started, stages };
}

async function failure(launching: Promise<unknown>): Promise<LaunchError> {
  const error: unknown = await launching.then(
    () => new Error('it worked'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof LaunchError) return error;
  throw error;
}

const countWrites = () =>
  api.requests.filter(({ verb }) => verb === 'create' || verb === 'patch' || verb === 'delete').length;

describe('a launch that works', () => {
  it('takes three writes and shares one list and one watch', async () => {
    const { id, started, stages } = await launch();
    expect(started).toMatchObject({
      workspace: '/home/omnigent/workspace',
      warnings: [],
      prepare: { repositories: [] },
    });
    expect(stages).toEqual(['scheduling', 'pulling', 'starting']);
    await api.untilRequested({ verb: 'patch', resource: 'secrets' });
    await api.untilRequested({ verb: 'watch' });
    expect(countWrites()).toBe(3);
    expect(api.requests).toHaveLength(5);
    expect(await launcher.inspect(id, { signal })).toEqual({ state: 'running' });
    const secret = api.store.get({ resource: 'secrets', namespace: FAKE_NAMESPACE, name: `${id}-token` });
    expect(secret?.metadata.ownerReferences).toMatchObject([{ kind: 'Pod', apiVersion: 'v1', name: id }]);
  });

  it('writes the token into the Secret and nowhere else', async () => {
    await launch();
    const encoded = Buffer.from(TOKEN).toString('base64');
    const carriers = api.requests.filter(({ body, path }) => {
      const text = `${path} ${JSON.stringify(body)}`;
      return text.includes(TOKEN) || text.includes(encoded);
    });
    expect(carriers.map(({ resource }) => resource)).toEqual(['secrets']);
  });

  it('shares its watch with twenty others', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `h0000000000${String(index).padStart(2, '0')}`);
    await Promise.all(ids.map((hostId) => launch({ hostId })));
    expect(api.count({ verb: 'watch' })).toBe(1);
    expect(api.count({ verb: 'list', resource: 'pods' })).toBe(1);
    expect(api.count({ verb: 'get', resource: 'pods' })).toBe(0);
  });

  it('does not fail when its Secret cannot be given to the Pod', async () => {
    api.rights.deny({ verb: 'patch', resource: 'secrets' });
    await expect(launch()).resolves.toBeDefined();
  });

  it('is listed with its host, page by page', async () => {
    const first = await launch({ hostId: 'h00000000000a' });
    const second = await launch({ hostId: 'h00000000000b' });
    const found = new Map<string, string | null>();
    for await (const { providerId, hostId, createdAt } of launcher.list({ signal })) {
      found.set(providerId, hostId);
      expect(Date.now() - createdAt).toBeLessThan(60_000);
    }
    expect(found).toEqual(
      new Map([
        [first.id, 'h00000000000a'],
        [second.id, 'h00000000000b'],
      ]),
    );
  });

  it('waits for room in a quota, and says so', async () => {
    await launch({ hostId: 'h00000000000a' });
    await subject.limitPods(1);
    const messages: string[] = [];
    const id = await launcher.provision('contract', { signal });
    const onStage = (_stage: string, message?: string) => void messages.push(message ?? '');
    const launching = launcher.startHost(id, buildRequest({ hostId: 'h00000000000b' }), { signal, onStage });
    await expect.poll(() => messages.join('\n')).toContain('waiting for room');
    api.admission.pop();
    await expect(launching).resolves.toBeDefined();
  });
});

describe('an answer that is lost', () => {
  it.each(['pods', 'secrets'])('is made up for by looking at what there is: %s', async (resource) => {
    api.faults.inject({ match: { verb: 'create', resource }, effect: { type: 'lose-answer' } });
    const { id } = await launch();
    expect(await launcher.inspect(id, { signal })).toEqual({ state: 'running' });
    expect(api.store.list('pods', FAKE_NAMESPACE)).toHaveLength(1);
    expect(api.store.list('secrets', FAKE_NAMESPACE)).toHaveLength(1);
  });

  it('is followed by a second try when nothing was done', async () => {
    api.faults.inject({ match: { verb: 'create', resource: 'pods' }, effect: { type: 'reset' } });
    await expect(launch()).resolves.toBeDefined();
  });
});

describe('an object of somebody else', () => {
  it('is neither taken over nor deleted', async () => {
    const id = await launcher.provision('contract', { signal });
    const key = { resource: 'pods', namespace: FAKE_NAMESPACE, name: id };
    api.store.put(key, { metadata: { name: id, namespace: FAKE_NAMESPACE, uid: 'theirs' } });
    const error = await failure(launcher.startHost(id, buildRequest(), { signal, onStage: () => undefined }));
    expect(error.code).toBe('object_conflict');
    expect(await subject.listObjects()).toEqual([`pods/${id}`]);
  });
});

describe('a host that ends at once', () => {
  it('is shown with its log, gathered before anything is deleted', async () => {
    const on = await subject.open({ image: 'registry.test/exits:1' });
    const error = await failure(launch({ on }));
    expect(error.diagnosis).toMatchObject({
      code: 'host_exited',
      message: 'the host exited with status 1 before it was connected',
      log: { container: 'host', text: 'cannot reach the server' },
      containers: [{ name: 'host', exit_code: 1, reason: 'Error' }],
    });
    const verbs = api.requests.map(({ verb, resource }) => `${verb} ${resource}`);
    expect(verbs.indexOf('get pods/log')).toBeLessThan(verbs.indexOf('delete pods'));
    expect(verbs.indexOf('list events')).toBeLessThan(verbs.indexOf('delete pods'));
    expect(await subject.listObjects()).toEqual([]);
  });

  it('is shown without what may not be read, which is named', async () => {
    api.rights.deny({ resource: 'events' });
    api.rights.deny({ resource: 'pods/log' });
    const on = await subject.open({ image: 'registry.test/exits:1' });
    const { diagnosis } = await failure(launch({ on }));
    expect(diagnosis).toMatchObject({
      code: 'host_exited',
      log: null,
      events: [],
      notes: ['no permission to read events', 'no permission to read the log of container host'],
    });
  });

  it('is noticed after it ran', async () => {
    const { id } = await launch();
    const watching = launcher.watchHost(id, { signal, hostId: 'h000000000001' });
    api.logs.set(`${FAKE_NAMESPACE}/${id}/host`, `started\n${TOKEN}\nout of cheese\n`);
    const key = { resource: 'pods', namespace: FAKE_NAMESPACE, name: id };
    const pod = api.store.get(key);
    if (pod === undefined) throw new Error('there is no Pod');
    const ended = { terminated: { exitCode: 137, reason: 'OOMKilled' } };
    api.store.put(key, {
      ...pod,
      status: { phase: 'Failed', containerStatuses: [{ name: 'host', state: ended }] },
    });
    const diagnosis = await watching;
    expect(diagnosis).toMatchObject({ code: 'host_out_of_memory', relaunchable: false });
    expect(diagnosis.message).toContain('limit 64Mi');
    expect(diagnosis.log?.text).toBe('started\n***\nout of cheese');
  });
});

describe('a cleanup that fails', () => {
  it('does not hide why the launch failed', async () => {
    api.rights.deny({ verb: 'delete' });
    api.faults.inject({
      match: { verb: 'create', resource: 'pods' },
      effect: { type: 'refuse', status: { code: 422, reason: 'Invalid', message: 'spec: not like this' } },
    });
    const error = await failure(launch());
    expect(error.code).toBe('cluster_rejected');
    expect(error.message).toContain('not like this');
  });

  it('is not followed by a delete of what was never created', async () => {
    api.rights.deny({ verb: 'create', resource: 'secrets' });
    expect((await failure(launch())).code).toBe('cluster_forbidden');
    expect(api.count({ verb: 'delete' })).toBe(0);
  });
});

describe('a launch that is cancelled', () => {
  it('while its Pod is being created deletes the Pod all the same', async () => {
    api.faults.inject({
      match: { verb: 'create', resource: 'pods' },
      effect: { type: 'delay', delayMs: 150 },
    });
    const controller = new AbortController();
    const launching = launch({ stop: controller.signal });
    launching.catch(() => undefined);
    await api.untilRequested({ verb: 'create', resource: 'pods' });
    controller.abort();
    await expect(launching).rejects.toMatchObject({ code: 'canceled' });
    expect(await subject.listObjects()).toEqual([]);
  });
});

describe('an end that is interrupted', () => {
  it('attempts the Secret whatever the Pod answers, and says what stays', async () => {
    const { id } = await launch();
    const allow = api.rights.deny({ verb: 'delete', resource: 'pods' });
    await expect(launcher.terminate(id, { signal })).rejects.toMatchObject({ code: 'cluster_forbidden' });
    expect(await subject.listObjects()).toEqual([`pods/${id}`]);
    allow();
    await launcher.terminate(id, { signal });
    expect(await subject.listObjects()).toEqual([]);
  });

  it('is tried again while the cluster is only busy', async () => {
    const { id } = await launch();
    api.faults.inject({
      match: { verb: 'delete', resource: 'pods' },
      times: 2,
      effect: { type: 'refuse', status: { code: 503, reason: 'ServiceUnavailable', message: 'busy' } },
    });
    await launcher.terminate(id, { signal });
    expect(await subject.listObjects()).toEqual([]);
  });

  it('resolves when the Pod is gone, not when it is on its way', async () => {
    const { id } = await launch();
    api.kubelet.terminationMs = 300;
    const began = performance.now();
    await launcher.terminate(id, { signal });
    expect(performance.now() - began).toBeGreaterThanOrEqual(290);
    expect(await subject.listObjects()).toEqual([]);
  });
});

describe('the right to watch', () => {
  it('is not needed: the state is read instead', async () => {
    api.rights.deny({ verb: 'watch', resource: 'pods' });
    api.kubelet.script = hostRuns({ stepMs: 50 });
    await expect(launch()).resolves.toBeDefined();
  });
});

describe('a plan with a server-side dry run', () => {
  it('tells what admission adds', async () => {
    api.admission.push((object, { resource }) => {
      const labels = { ...object.metadata.labels, 'mesh.example/injected': 'yes' };
      return resource === 'pods' ? { ...object, metadata: { ...object.metadata, labels } } : null;
    });
    const plan = await launcher.plan(buildRequest(), { signal, dryRun: 'server' });
    expect(plan.changes).toEqual([
      { path: '/metadata/labels/mesh.example/injected', sent: undefined, admitted: 'yes' },
    ]);
    const pod = plan.manifests.find(({ kind }) => kind === 'Pod');
    expect(readField(pod, ['metadata', 'labels', 'mesh.example/injected'])).toBeUndefined();
  });
});
