import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../clock/fake-clock.ts';
import type { FakeClock } from '../clock/fake-clock.ts';
import { createFakeApiServer } from './create-fake-api-server.ts';
import type { FakeApiServer } from './create-fake-api-server.ts';
import { PODS, SECRETS, buildPod, callApi, createPods } from './testing/call-api.ts';

let api: FakeApiServer;
let clock: FakeClock;

beforeEach(async () => {
  clock = createFakeClock();
  api = await createFakeApiServer({ clock });
});
afterEach(async () => await api.close());

const names = (list: unknown) =>
  (list as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);

describe('objects of the fake', () => {
  it('get identity, versions that grow, and a kind only outside of lists', async () => {
    await createPods(api, 'a', 'b');
    const one = await callApi(api, { path: `${PODS}/a` });
    expect(one).toMatchObject({ status: 200, body: { kind: 'Pod', metadata: { uid: expect.any(String) } } });
    const list = await callApi(api, { path: PODS });
    expect(list.body).toMatchObject({
      kind: 'PodList',
      items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
    });
    expect(JSON.stringify(list.body)).not.toContain('"kind":"Pod"');
    const versions = api.store.list('pods', '').map(({ metadata }) => Number(metadata.resourceVersion));
    expect(versions[1]).toBeGreaterThan(versions[0] ?? 0);
  });

  it('are refused with the words of the real server', async () => {
    await createPods(api, 'a');
    const again = await callApi(api, { method: 'POST', path: PODS, body: buildPod('a') });
    expect(again).toMatchObject({
      status: 409,
      body: { kind: 'Status', reason: 'AlreadyExists', message: 'pods "a" already exists' },
    });
    const elsewhere = await callApi(api, {
      method: 'POST',
      path: '/api/v1/namespaces/none/pods',
      body: buildPod('a'),
    });
    expect(elsewhere).toMatchObject({
      status: 404,
      body: { message: 'namespaces "none" not found', details: { kind: 'namespaces' } },
    });
    const invalid = await callApi(api, { method: 'POST', path: PODS, body: buildPod('A_') });
    expect(invalid).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'metadata.name' }] } },
    });
    expect(await callApi(api, { path: `${PODS}/none` })).toMatchObject({
      status: 404,
      body: { reason: 'NotFound' },
    });
    expect(await callApi(api, { path: '/api/v1/unheard' })).toMatchObject({
      status: 404,
      body: '404 page not found\n',
    });
  });

  it('are not created in a namespace that is being deleted', async () => {
    const key = { resource: 'namespaces', namespace: '', name: 'omnigent-sandboxes' };
    api.store.put(key, { metadata: { name: 'omnigent-sandboxes' }, status: { phase: 'Terminating' } });
    const answer = await callApi(api, { method: 'POST', path: PODS, body: buildPod('a') });
    expect(answer).toMatchObject({
      status: 403,
      body: { details: { causes: [{ reason: 'NamespaceTerminating' }] } },
    });
  });

  it('are selected by labels and fields', async () => {
    await createPods(api, 'a', 'b', 'c');
    const select = async (query: string) => names((await callApi(api, { path: `${PODS}?${query}` })).body);
    expect(await select('labelSelector=app%3Db')).toEqual(['b']);
    expect(await select('labelSelector=app!%3Db')).toEqual(['a', 'c']);
    expect(await select('fieldSelector=metadata.name%3Dc')).toEqual(['c']);
    expect(await select('labelSelector=app%3Db&fieldSelector=metadata.name%3Dc')).toEqual([]);
  });

  it('are listed in pages of one state, and pages can expire', async () => {
    await createPods(api, 'a', 'b', 'c');
    const first = await callApi(api, { path: `${PODS}?limit=2` });
    const { metadata } = first.body as { metadata: { continue: string; resourceVersion: string } };
    await createPods(api, 'd');
    const second = await callApi(api, { path: `${PODS}?limit=2&continue=${metadata.continue}` });
    expect(names(second.body)).toEqual(['c']);
    expect(second.body).toMatchObject({ metadata: { resourceVersion: metadata.resourceVersion } });
    api.expirePages();
    expect(await callApi(api, { path: `${PODS}?continue=${metadata.continue}` })).toMatchObject({
      status: 410,
    });
  });

  it('are not stored by a dry run, and are what admission makes of them', async () => {
    api.admission.push((object) => ({
      ...object,
      metadata: { ...object.metadata, annotations: { seen: 'yes' } },
    }));
    const dry = await callApi(api, { method: 'POST', path: `${PODS}?dryRun=All`, body: buildPod('a') });
    expect(dry).toMatchObject({ status: 201, body: { metadata: { annotations: { seen: 'yes' } } } });
    expect(api.store.list('pods', '')).toEqual([]);
    api.admission.push(() => ({ code: 403, reason: 'Forbidden', message: 'not today' }));
    expect(await callApi(api, { method: 'POST', path: PODS, body: buildPod('a') })).toMatchObject({
      status: 403,
    });
  });

  it('are patched by merge and by JSON patch, whose tests are refused with 422', async () => {
    const secret = { metadata: { name: 's' }, stringData: { key: 'value' } };
    await callApi(api, { method: 'POST', path: SECRETS, body: secret });
    const patch = (contentType: string, body: unknown) =>
      callApi(api, { method: 'PATCH', path: `${SECRETS}/s`, contentType, body });
    const merged = await patch('application/merge-patch+json', { metadata: { labels: { a: 'b' } } });
    expect(merged).toMatchObject({
      status: 200,
      body: { metadata: { labels: { a: 'b' } }, data: { key: 'dmFsdWU=' } },
    });
    const jsonPatch = 'application/json-patch+json';
    expect(await patch(jsonPatch, [{ op: 'test', path: '/data/key', value: 'dmFsdWU=' }])).toMatchObject({
      status: 200,
    });
    expect(await patch(jsonPatch, [{ op: 'test', path: '/data/key', value: 'x' }])).toMatchObject({
      status: 422,
    });
    const removed = await patch(jsonPatch, [{ op: 'remove', path: '/metadata/labels/a' }]);
    expect(removed).toMatchObject({ body: { metadata: { labels: {} } } });
  });
});

describe('deletion', () => {
  const remove = (path: string, body: unknown = {}) => callApi(api, { method: 'DELETE', path, body });

  it('is at once for a Pod without a node', async () => {
    await createPods(api, 'a');
    expect((await remove(`${PODS}/a`)).status).toBe(200);
    expect((await remove(`${PODS}/a`)).status).toBe(404);
  });

  it('takes a Pod on a node as long as its kubelet needs', async () => {
    api.kubelet.script = (control) => control.bind('n1');
    api.kubelet.terminationMs = 5_000;
    await createPods(api, 'a');
    expect(await remove(`${PODS}/a`, { gracePeriodSeconds: 7 })).toMatchObject({
      status: 200,
      body: { metadata: { deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 7 } },
    });
    await clock.advance(4_999);
    expect((await callApi(api, { path: `${PODS}/a` })).status).toBe(200);
    await clock.advance(1);
    expect((await callApi(api, { path: `${PODS}/a` })).status).toBe(404);
  });

  it('never ends on a node that is gone, unless it is forced', async () => {
    api.kubelet.script = (control) => control.bind('n1');
    api.kubelet.terminationMs = null;
    await createPods(api, 'a');
    await remove(`${PODS}/a`);
    await clock.advance(3_600_000);
    const taken = await callApi(api, { method: 'POST', path: PODS, body: buildPod('a') });
    expect(taken).toMatchObject({
      status: 409,
      body: { message: 'object is being deleted: pods "a" already exists' },
    });
    await remove(`${PODS}/a`, { gracePeriodSeconds: 0 });
    expect((await callApi(api, { path: `${PODS}/a` })).status).toBe(404);
  });

  it('is refused for another uid', async () => {
    await createPods(api, 'a');
    const answer = await remove(`${PODS}/a`, { preconditions: { uid: 'x' } });
    expect(answer).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
  });

  it('takes dependants along, unless garbage is not collected', async () => {
    const own = async (name: string) => {
      const { body } = await callApi(api, { path: `${PODS}/${name}` });
      const { uid } = (body as { metadata: { uid: string } }).metadata;
      const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name, uid }];
      await callApi(api, {
        method: 'POST',
        path: SECRETS,
        body: { metadata: { name: `${name}-token`, ownerReferences } },
      });
    };
    await createPods(api, 'a', 'b');
    await own('a');
    await own('b');
    await remove(`${PODS}/a`);
    api.setGarbageCollection(false);
    await remove(`${PODS}/b`);
    expect(names((await callApi(api, { path: SECRETS })).body)).toEqual(['b-token']);
  });
});

describe('rights', () => {
  it('are refused as RBAC does, and reviewed alike', async () => {
    const allow = api.rights.deny({ verb: 'list', resource: 'pods' });
    expect(await callApi(api, { path: PODS })).toMatchObject({
      status: 403,
      body: {
        message: expect.stringContaining('cannot list resource "pods" in API group "" in the namespace'),
      },
    });
    const review = async () => {
      const resourceAttributes = { verb: 'list', resource: 'pods', namespace: 'omnigent-sandboxes' };
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      return (await callApi(api, { method: 'POST', path, body: { spec: { resourceAttributes } } })).body;
    };
    expect(await review()).toMatchObject({ status: { allowed: false } });
    allow();
    expect(await review()).toMatchObject({ status: { allowed: true } });
    expect((await callApi(api, { path: PODS })).status).toBe(200);
  });

  it('need a token that is accepted, once some are', async () => {
    api.rights.acceptTokens(['good']);
    expect((await callApi(api, { path: PODS })).status).toBe(401);
    expect((await callApi(api, { path: PODS, token: 'bad' })).status).toBe(401);
    expect((await callApi(api, { path: PODS, token: 'good' })).status).toBe(200);
  });
});

it('serves reads from a past state while they are frozen', async () => {
  await createPods(api, 'a');
  api.freezeReads();
  await createPods(api, 'b');
  expect(names((await callApi(api, { path: PODS })).body)).toEqual(['a']);
  expect((await callApi(api, { path: `${PODS}/b` })).status).toBe(404);
  api.thawReads();
  expect(names((await callApi(api, { path: PODS })).body)).toEqual(['a', 'b']);
});
