import { createFakeApiServer, createFakeClock } from '@omnigent/testkit';
import type { FakeApiServer, FakeClock } from '@omnigent/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClusterClient } from '../api/cluster-client.ts';
import {
  TEST_NAMESPACE,
  buildTestPod,
  buildTestSecret,
  openTestClient,
} from '../api/testing/open-test-client.ts';
import { terminateSandbox } from './terminate-sandbox.ts';

const { signal } = new AbortController();
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

interface Scene {
  readonly api: FakeApiServer;
  readonly client: ClusterClient;
  readonly clock: FakeClock;
}

/** A sandbox on a node that never ends its Pod. */
async function setUp(nodeName = 'node-1'): Promise<Scene> {
  const clock = createFakeClock();
  const api = await createFakeApiServer();
  const client = await openTestClient({ kubeconfig: api.kubeconfig });
  closers.push(
    () => api.close(),
    () => client.close(),
  );
  await client.createPod(buildTestPod('s1'), { signal });
  await client.createSecret(buildTestSecret('s1-token'), { signal });
  const key = { resource: 'pods', namespace: TEST_NAMESPACE, name: 's1' };
  const pod = api.store.get(key);
  if (pod === undefined) throw new Error('there is no Pod');
  api.store.put(key, { ...pod, spec: { nodeName } });
  api.kubelet.terminationMs = null;
  return { api, client, clock };
}

const countPods = ({ api }: Scene) => api.store.list('pods', TEST_NAMESPACE).length;

/** Lets time pass until it is over. */
async function passTime({ clock, api }: Scene, ending: Promise<void>): Promise<void> {
  const over = new AbortController();
  const end = () => over.abort();
  ending.then(end, end);
  await api.untilRequested({ verb: 'watch' });
  while (!over.signal.aborted) {
    // Requests take no time of the clock, but they take turns.
    if (clock.pending().length > 0) await clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a Pod that does not go', () => {
  it('is forced when its node does not exist any more', async () => {
    const scene = await setUp();
    const ending = terminateSandbox({ ...scene, podName: 's1', signal });
    await passTime(scene, ending);
    await ending;
    const forced = scene.api.requests.findLast(
      ({ verb, resource }) => verb === 'delete' && resource === 'pods',
    );
    expect(forced?.body).toMatchObject({ gracePeriodSeconds: 0, preconditions: { uid: expect.any(String) } });
    expect(countPods(scene)).toBe(0);
  });

  it('is not forced while its node is there, and is reported', async () => {
    const scene = await setUp();
    scene.api.store.put(
      { resource: 'nodes', namespace: '', name: 'node-1' },
      { metadata: { name: 'node-1' } },
    );
    const ending = terminateSandbox({ ...scene, podName: 's1', signal });
    ending.catch(() => undefined);
    await passTime(scene, ending);
    await expect(ending).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('node-1'),
    });
    expect(countPods(scene)).toBe(1);
    expect(scene.api.count({ verb: 'delete', resource: 'pods' })).toBe(1);
  });

  it('is not forced when nobody may ask about nodes', async () => {
    const scene = await setUp();
    scene.api.rights.deny({ resource: 'nodes' });
    const ending = terminateSandbox({ ...scene, podName: 's1', signal });
    ending.catch(() => undefined);
    await passTime(scene, ending);
    await expect(ending).rejects.toMatchObject({ code: 'timeout' });
    expect(countPods(scene)).toBe(1);
  });

  it('is noticed to be gone by a direct read when the watch is late', async () => {
    const scene = await setUp();
    const ending = terminateSandbox({ ...scene, podName: 's1', signal });
    await scene.api.untilRequested({ verb: 'watch' });
    scene.api.watches.mute(true);
    scene.api.store.remove({ resource: 'pods', namespace: TEST_NAMESPACE, name: 's1' });
    await passTime(scene, ending);
    await expect(ending).resolves.toBeUndefined();
  });

  it('has lost its Secret all the same', async () => {
    const scene = await setUp();
    const stop = new AbortController();
    const ending = terminateSandbox({ ...scene, podName: 's1', signal: stop.signal });
    ending.catch(() => undefined);
    await scene.api.untilRequested({ verb: 'delete', resource: 'secrets' });
    await scene.api.untilRequested({ verb: 'watch' });
    stop.abort();
    await expect(ending).rejects.toBeDefined();
    expect(scene.api.store.list('secrets', TEST_NAMESPACE)).toEqual([]);
  });
});
