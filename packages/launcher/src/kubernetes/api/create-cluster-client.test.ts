import { createFakeApiServer, createFakeClock, hostRuns } from '@omnigent/testkit';
import type { FakeApiServer, FakeApiServerOptions } from '@omnigent/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClusterClient } from './cluster-client.ts';
import { buildTestPod, buildTestSecret, openTestClient } from './testing/open-test-client.ts';

/** For what comes by a socket: long enough for a machine that is busy. */
const PATIENCE = { timeout: 15_000 };

const signal = new AbortController().signal;
const open: { api: FakeApiServer; client: ClusterClient }[] = [];

async function setUp(options: FakeApiServerOptions = {}) {
  const api = await createFakeApiServer(options);
  const client = await openTestClient({
    kubeconfig: api.kubeconfig,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  open.push({ api, client });
  return { api, client };
}

afterEach(async () => {
  for (const { api, client } of open.splice(0)) {
    await client.close();
    await api.close();
  }
});

describe('objects', () => {
  it('creates, reads and deletes a Pod', async () => {
    const { client } = await setUp();
    const created = await client.createPod(buildTestPod('s1'), { signal });
    expect(created.metadata.uid).not.toBe('');
    expect(await client.getPod('s1', { signal })).toEqual(created);
    expect(await client.deletePod('s1', { signal })).toBe('accepted');
    expect(await client.getPod('s1', { signal })).toBeNull();
    expect(await client.deletePod('s1', { signal })).toBe('gone');
  });

  it('lists every page', async () => {
    const { api, client } = await setUp();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await client.createPod(buildTestPod(name), { signal });
    const names: string[] = [];
    const labels = { 'app.kubernetes.io/managed-by': 'omnigent' };
    for await (const pod of client.listPods({ labels, pageSize: 2, signal })) names.push(pod.metadata.name);
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(api.count({ verb: 'list', resource: 'pods' })).toBe(3);
  });

  it('deletes only the Pod of the uid that is asked for', async () => {
    const { client } = await setUp();
    await client.createPod(buildTestPod('s1'), { signal });
    expect(await client.deletePod('s1', { signal, uid: 'another' })).toBe('replaced');
    expect(await client.getPod('s1', { signal })).not.toBeNull();
  });

  it('makes a Pod the owner of its Secret, which goes with it', async () => {
    const { api, client } = await setUp();
    const pod = await client.createPod(buildTestPod('s1'), { signal });
    await client.createSecret(buildTestSecret('s1-token'), { signal });
    expect(await client.setSecretOwner('s1-token', { name: 's1', uid: pod.metadata.uid }, { signal })).toBe(
      true,
    );
    expect(await client.setSecretOwner('none', { name: 's1', uid: pod.metadata.uid }, { signal })).toBe(
      false,
    );
    await client.deletePod('s1', { signal });
    expect(api.store.list('secrets', 'omnigent-sandboxes')).toEqual([]);
  });

  it('reads the end of the log of one container, and null where there is none', async () => {
    const { api, client } = await setUp({ script: hostRuns() });
    await client.createPod(buildTestPod('s1'), { signal });
    const options = { container: 'host', tailLines: 2, limitBytes: 100, signal };
    expect(await client.readPodLog('s1', { ...options, previous: true })).toBeNull();
    api.logs.set('omnigent-sandboxes/s1/host', 'one\ntwo\nthree\n');
    expect(await client.readPodLog('s1', options)).toBe('two\nthree\n');
    expect(await client.readPodLog('s2', options)).toBeNull();
  });

  it('lists the events of one uid in one request, however many others there are', async () => {
    const clock = createFakeClock();
    const { api, client } = await setUp({ clock });
    const pod = await client.createPod(buildTestPod('s1'), { signal });
    const stored = api.store.get({ resource: 'pods', namespace: 'omnigent-sandboxes', name: 's1' });
    if (stored === undefined) throw new Error('the Pod was not stored');
    api.emitEvent(
      { ...stored, metadata: { ...stored.metadata, uid: 'an-earlier-one' } },
      { reason: 'Old', message: 'x' },
    );
    clock.jump(60_000);
    api.emitEvent(stored, { reason: 'Later', message: 'y', count: 3 });
    clock.jump(-30_000);
    api.emitEvent(stored, { reason: 'Earlier', message: 'z' });
    const events = await client.listEvents({ uid: pod.metadata.uid, signal });
    expect(events.map(({ reason, count }) => [reason, count])).toEqual([
      ['Earlier', 1],
      ['Later', 3],
    ]);
    expect(api.count({ resource: 'events' })).toBe(1);
  });

  it('shows what admission makes of a Pod without creating it', async () => {
    const { api, client } = await setUp();
    api.admission.push((object) => ({ ...object, spec: { nodeSelector: { added: 'true' } } }));
    const admitted = await client.dryRunPod(buildTestPod('s1'), { signal });
    expect(admitted['spec']).toEqual({ nodeSelector: { added: 'true' } });
    expect(api.store.list('pods', '')).toEqual([]);
  });
});

describe('lost answers', () => {
  it('adopts the Pod that an earlier try of the same call created', async () => {
    const { api, client } = await setUp();
    api.faults.inject({ match: { verb: 'create', resource: 'pods' }, effect: { type: 'lose-answer' } });
    const pod = await client.createPod(buildTestPod('s1'), { signal });
    expect(pod.metadata.name).toBe('s1');
    expect(api.store.list('pods', '')).toHaveLength(1);
  });

  it('creates again when the lost try never arrived', async () => {
    const { api, client } = await setUp();
    api.faults.inject({ match: { verb: 'create', resource: 'pods' }, effect: { type: 'reset' } });
    await client.createPod(buildTestPod('s1'), { signal });
    expect(api.count({ verb: 'create', resource: 'pods' })).toBe(2);
  });

  it('reports a conflict for a Pod that carries other labels, and leaves it alone', async () => {
    const { api, client } = await setUp();
    await client.createPod(buildTestPod('s1', { 'omnigent.ai/host-id': 'theirs' }), { signal });
    api.faults.inject({ match: { verb: 'create', resource: 'pods' }, effect: { type: 'reset' } });
    const creating = client.createPod(buildTestPod('s1'), { signal });
    await expect(creating).rejects.toMatchObject({
      code: 'object_conflict',
      fault: { kind: 'already_exists' },
    });
    expect(api.count({ verb: 'delete' })).toBe(0);
  });

  it('does not adopt a Pod that is on its way out', async () => {
    const { api, client } = await setUp({ script: (control) => control.bind('n1') });
    api.kubelet.terminationMs = null;
    await client.createPod(buildTestPod('s1'), { signal });
    await client.deletePod('s1', { signal });
    api.faults.inject({ match: { verb: 'create', resource: 'pods' }, effect: { type: 'reset' } });
    await expect(client.createPod(buildTestPod('s1'), { signal })).rejects.toMatchObject({
      fault: { kind: 'already_exists', beingDeleted: true, unsure: true },
    });
  });

  it('does not adopt without a lost try', async () => {
    const { client } = await setUp();
    await client.createPod(buildTestPod('s1'), { signal });
    await expect(client.createPod(buildTestPod('s1'), { signal })).rejects.toMatchObject({
      fault: { kind: 'already_exists', unsure: false },
    });
  });

  it('settles a lost Secret by its value, without reading it', async () => {
    const { api, client } = await setUp();
    api.faults.inject({
      match: { verb: 'create', resource: 'secrets' },
      effect: { type: 'lose-answer' },
      times: 2,
    });
    await client.createSecret(buildTestSecret('s1-token'), { signal });
    expect(api.count({ verb: 'get' })).toBe(0);
    await client.deleteSecret('s1-token', { signal });
    await client.createSecret(buildTestSecret('s1-token', 'another value'), { signal });
    api.faults.clear();
    api.faults.inject({ match: { verb: 'create', resource: 'secrets' }, effect: { type: 'reset' } });
    await expect(client.createSecret(buildTestSecret('s1-token'), { signal })).rejects.toMatchObject({
      code: 'object_conflict',
    });
  });
});

describe('time', () => {
  it('ends a request that is accepted and never answered after ten seconds', async () => {
    const clock = createFakeClock();
    const { api, client } = await setUp({ clock });
    api.faults.inject({ effect: { type: 'silence' } });
    const reading = client.getPod('s1', { signal, retryForMs: 0 });
    reading.catch(() => undefined);
    await api.untilRequested({ resource: 'pods' });
    await clock.advance(10_000);
    await expect(reading).rejects.toMatchObject({
      code: 'cluster_unreachable',
      fault: { kind: 'timeout', deadlineMs: 10_000 },
    });
  });

  it('waits as long as Retry-After says, in seconds or as a date', async () => {
    const clock = createFakeClock();
    const { api, client } = await setUp({ clock });
    const status = { code: 429, reason: 'TooManyRequests', message: 'slow down' };
    api.faults.inject({ effect: { type: 'refuse', status, headers: { 'retry-after': '2' } } });
    const date = new Date(clock.now() + 12_000).toUTCString();
    api.faults.inject({ effect: { type: 'refuse', status, headers: { 'retry-after': date } } });
    const reading = client.readVersion({ signal });
    await clock.untilSleeping(2_000, 400);
    await clock.advance(2_400);
    await clock.untilSleeping(9_600, 2_000);
    await clock.advance(11_600);
    expect((await reading).major).toBe('1');
    expect(api.count()).toBe(3);
  });

  it('tries a Pod again after 429, 500 and 503, and gets it', async () => {
    const { api, client } = await setUp();
    for (const code of [429, 500, 503]) {
      const status = { code, reason: 'InternalError', message: 'etcdserver: request timed out' };
      api.faults.inject({ match: { verb: 'create' }, effect: { type: 'refuse', status } });
    }
    await client.createPod(buildTestPod('s1'), { signal });
    expect(api.count({ verb: 'create' })).toBe(4);
  });

  it('ends when its budget ends, with the last failure', async () => {
    const { api, client } = await setUp();
    const status = { code: 503, reason: 'ServiceUnavailable', message: 'not now' };
    api.faults.inject({ effect: { type: 'refuse', status }, times: 100 });
    await expect(client.readVersion({ signal, retryForMs: 300 })).rejects.toMatchObject({ status: 503 });
    expect(api.count()).toBeGreaterThan(1);
  });

  it('ends at once when the caller aborts, also while it waits for a retry', async () => {
    const clock = createFakeClock();
    const { api, client } = await setUp({ clock });
    const aborting = new AbortController();
    api.faults.inject({ effect: { type: 'reset' } });
    const reading = client.readVersion({ signal: aborting.signal });
    await clock.untilSleeping(150, 60);
    aborting.abort();
    await expect(reading).rejects.toMatchObject({ code: 'canceled' });
  });
});

describe('refusals', () => {
  it('fails at once for a right that is missing, and names verb and resource', async () => {
    const { api, client } = await setUp();
    api.rights.deny({ verb: 'create', resource: 'pods' });
    await expect(client.createPod(buildTestPod('s1'), { signal })).rejects.toMatchObject({
      code: 'cluster_forbidden',
      message: expect.stringMatching(/lacks the right "create" on "pods"/),
    });
    expect(api.count()).toBe(1);
    expect(await client.checkAccess({ verb: 'create', resource: 'pods' }, { signal })).toMatchObject({
      allowed: false,
    });
    expect(await client.checkAccess({ verb: 'get', resource: 'pods/log' }, { signal })).toMatchObject({
      allowed: true,
    });
  });

  it('names a namespace that does not exist', async () => {
    const { client } = await setUp({ namespaces: ['elsewhere'] });
    await expect(client.createPod(buildTestPod('s1'), { signal })).rejects.toMatchObject({
      code: 'namespace_not_found',
      fault: { kind: 'namespace_not_found', namespace: 'omnigent-sandboxes' },
    });
    expect(await client.readNamespace({ signal })).toBeNull();
  });

  it('never repeats the value of a Secret', async () => {
    const { api, client } = await setUp();
    const value = 'launch-token-value';
    const stored = Buffer.from(value).toString('base64');
    api.admission.push(() => ({ code: 422, reason: 'Invalid', message: `bad value ${value} or ${stored}` }));
    const creating = client.createSecret(buildTestSecret('s1-token', value), { signal });
    const error: unknown = await creating.catch((reason: unknown) => reason);
    const text = JSON.stringify(error) + String(error);
    expect(text).toContain('[redacted]');
    expect(text).not.toContain(value);
    expect(text).not.toContain(stored);
  });

  it('never repeats the value of a Secret that it settles after a lost try', async () => {
    const { api, client } = await setUp();
    const value = 'launch-token-value';
    const stored = Buffer.from(value).toString('base64');
    const status = { code: 405, reason: 'MethodNotAllowed', message: `no patch of ${stored}` };
    api.faults.inject({ match: { verb: 'create' }, effect: { type: 'lose-answer' } });
    api.faults.inject({ match: { verb: 'patch' }, effect: { type: 'refuse', status } });
    const creating = client.createSecret(buildTestSecret('s1-token', value), { signal });
    const error: unknown = await creating.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ verb: 'patch', status: 405 });
    expect(JSON.stringify(error) + String(error)).not.toContain(stored);
  });

  it("says what a proxy's page is", async () => {
    const { api, client } = await setUp();
    api.faults.inject({ effect: { type: 'answer', status: 200, body: '<html>Sign in</html>' } });
    await expect(client.readVersion({ signal })).rejects.toMatchObject({ code: 'cluster_answer' });
  });
});

describe('connections', () => {
  it('that died in silence cost one deadline together, not one each', async () => {
    const clock = createFakeClock();
    const { api, client } = await setUp({ clock });
    await Promise.all([1, 2, 3, 4, 5].map(() => client.readVersion({ signal })));
    expect(api.socketCount).toBe(5);
    api.faults.inject({ effect: { type: 'silence' } });
    const reading = client.readVersion({ signal });
    await api.untilRequested({ resource: 'version' }, 6);
    await clock.advance(10_000);
    await expect.poll(() => api.socketCount, PATIENCE).toBe(0);
    await clock.advance(1_000);
    expect((await reading).major).toBe('1');
    expect(api.socketCount).toBe(1);
  });

  it('sends calls one after the other over one socket, and leaves none behind', async () => {
    const { api, client } = await setUp();
    for (let count = 0; count < 20; count += 1) await client.readVersion({ signal });
    expect(api.socketCount).toBe(1);
    await client.close();
    await expect.poll(() => api.socketCount, PATIENCE).toBe(0);
  });
});
