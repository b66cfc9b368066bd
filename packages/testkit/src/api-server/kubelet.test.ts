import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../clock/fake-clock.ts';
import type { FakeClock } from '../clock/fake-clock.ts';
import { createFakeApiServer } from './create-fake-api-server.ts';
import type { FakeApiServer } from './create-fake-api-server.ts';
import { containerWaits, hostExits, hostRuns, neverScheduled } from './pod-scripts.ts';
import { PODS, callApi, createPods } from './testing/call-api.ts';

/** For what comes by a socket: long enough for a machine that is busy. */
const PATIENCE = { timeout: 15_000 };

let api: FakeApiServer;
let clock: FakeClock;

beforeEach(async () => {
  clock = createFakeClock();
  api = await createFakeApiServer({ clock });
});
afterEach(async () => await api.close());

const read = async () => (await callApi(api, { path: `${PODS}/a` })).body;
const reasons = () => api.store.list('events', '').map((event) => event['reason']);

describe('lives of Pods', () => {
  it('run step by step of the clock', async () => {
    api.kubelet.script = hostRuns({ stepMs: 1_000 });
    await createPods(api, 'a');
    expect(await read()).toMatchObject({ status: { phase: 'Pending' } });
    await clock.advance(1_000);
    expect(await read()).toMatchObject({
      spec: { nodeName: 'fake-node' },
      status: { phase: 'Pending', containerStatuses: [{ name: 'host', state: { waiting: {} } }] },
    });
    await clock.advance(1_000);
    expect(await read()).toMatchObject({
      status: {
        phase: 'Running',
        containerStatuses: [{ name: 'host', ready: true, state: { running: {} } }],
      },
    });
    expect(reasons()).toEqual(['Scheduled']);
  });

  it('end with an exit code and a log', async () => {
    api.kubelet.script = hostExits({ exitCode: 7, log: 'one\ntwo\n' });
    await createPods(api, 'a');
    await expect.poll(read, PATIENCE).toMatchObject({
      status: { phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 7 } } }] },
    });
    const log = await callApi(api, { path: `${PODS}/a/log?container=host&tailLines=1` });
    expect(log.body).toBe('two\n');
  });

  it('stop at an image that cannot be pulled, or at no node', async () => {
    api.kubelet.script = containerWaits({ reason: 'ErrImagePull', message: 'not found' });
    await createPods(api, 'a');
    await expect
      .poll(read, PATIENCE)
      .toMatchObject({ status: { containerStatuses: [{ state: { waiting: { reason: 'ErrImagePull' } } }] } });
    api.kubelet.script = neverScheduled();
    await createPods(api, 'b');
    await expect.poll(reasons, PATIENCE).toContain('FailedScheduling');
  });

  it('are cut short by a deletion', async () => {
    api.kubelet.script = hostRuns({ stepMs: 1_000 });
    await createPods(api, 'a');
    await clock.advance(1_000);
    await callApi(api, { method: 'DELETE', path: `${PODS}/a` });
    await clock.advance(5_000);
    expect(api.store.list('pods', '')).toEqual([]);
    expect(clock.pending()).toEqual([]);
  });
});

describe('logs', () => {
  it('are of one container, which must be named where there are several', async () => {
    api.kubelet.script = (control) => control.bind('n1');
    const spec = {
      containers: [{ name: 'host' }, { name: 'istio-proxy' }],
      initContainers: [{ name: 'clone' }],
    };
    await callApi(api, { method: 'POST', path: PODS, body: { metadata: { name: 'a' }, spec } });
    const log = (query: string) => callApi(api, { path: `${PODS}/a/log?${query}` });
    expect(await log('')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('choose one of: [host istio-proxy clone]') },
    });
    expect(await log('container=none')).toMatchObject({ status: 400 });
    expect(await log('container=host')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('is waiting to start') },
    });
    api.logs.set('omnigent-sandboxes/a/host', 'abcdef\n');
    expect((await log('container=host&limitBytes=3')).body).toBe('abc');
    expect(await log('container=host&previous=true')).toMatchObject({ status: 400 });
  });
});
