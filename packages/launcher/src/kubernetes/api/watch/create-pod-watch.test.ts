import { createFakeApiServer, createFakeClock, hostRuns } from '@omnigent/testkit';
import type { FakeApiServer, FakeApiServerOptions, FakeClock } from '@omnigent/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClusterClient } from '../cluster-client.ts';
import type { PodObservation } from '../pod-watch.ts';
import { REQUEST_DEADLINE_MS } from '../request/attempt.ts';
import { TEST_NAMESPACE, buildTestPod, openTestClient } from '../testing/open-test-client.ts';

/** For what comes by a socket: long enough for a machine that is busy. */
const PATIENCE = { timeout: 15_000 };

const signal = new AbortController().signal;
const open: Pair[] = [];

async function setUp(options: Omit<FakeApiServerOptions, 'clock'> = {}) {
  const clock = createFakeClock();
  const api = await createFakeApiServer({ clock, ...options });
  const client = await openTestClient({ kubeconfig: api.kubeconfig, clock });
  open.push({ api, client });
  return { api, client, clock };
}

afterEach(async () => {
  for (const { api, client } of open.splice(0)) {
    await client.close();
    await api.close();
  }
});

/** Subscribes to a Pod; the observations arrive in the list. */
function follow(
  client: ClusterClient,
  options: Partial<Parameters<ClusterClient['podWatch']['subscribe']>[0]> = {},
) {
  const observations: PodObservation[] = [];
  const subscription = client.podWatch.subscribe({
    name: 's1',
    onObservation: (observation) => observations.push(observation),
    ...options,
  });
  return { observations, subscription };
}

/** Observations in short: type and what changed. */
function summarize(observations: readonly PodObservation[]): string[] {
  return observations.map((observation) => {
    if (observation.type === 'present') return `present ${observation.pod.status.phase ?? ''}`;
    return observation.type === 'trouble' ? `trouble ${observation.error.fault.kind}` : observation.type;
  });
}

const START_MS = createFakeClock().now();

const watches = { verb: 'watch', resource: 'pods' } as const;
const lists = { verb: 'list', resource: 'pods' } as const;
const gets = { verb: 'get', resource: 'pods' } as const;

interface Pair {
  readonly api: FakeApiServer;
  readonly client: ClusterClient;
}

/** Until both ends of the stream are there: before, the deadline for its head still runs. */
async function untilWatching({ api, client }: Pair, count = 1): Promise<void> {
  await api.untilRequested(watches, count);
  await expect.poll(() => client.podWatch.health().state, PATIENCE).toBe('watching');
}

function setPhase(api: FakeApiServer, name: string, phase: string): void {
  const key = { resource: 'pods', namespace: TEST_NAMESPACE, name };
  const pod = api.store.get(key);
  if (pod === undefined) throw new Error(`there is no Pod ${name}`);
  api.store.put(key, { ...pod, status: { phase } });
}

function remove(api: FakeApiServer, name: string): void {
  api.store.remove({ resource: 'pods', namespace: TEST_NAMESPACE, name });
}

/** Lets time pass until the condition holds, but none while a request is under way: the network is real, the clock is not. */
async function advanceUntil(clock: FakeClock, isDone: () => boolean, stepMs = 250): Promise<void> {
  for (let step = 0; step < 4_000 && !isDone(); step += 1) {
    await clock.advance(stepMs);
    await untilQuiet(clock);
  }
  expect(isDone()).toBe(true);
}

async function untilQuiet(clock: FakeClock): Promise<void> {
  const nextTurn = () => new Promise((resolve) => setTimeout(resolve, 1));
  do await nextTurn();
  while (clock.requested().includes(REQUEST_DEADLINE_MS));
}

describe('following', () => {
  it('tells every state of the Pod in order, and its end', async () => {
    const { api, client } = await setUp({ script: hostRuns() });
    const { observations } = follow(client);
    await untilWatching({ api, client });
    await client.createPod(buildTestPod('s1'), { signal });
    await expect.poll(() => summarize(observations).at(-1), PATIENCE).toBe('present Running');
    await client.deletePod('s1', { signal });
    await expect.poll(() => summarize(observations).at(-1), PATIENCE).toBe('deleted');
    const versions = observations.flatMap((seen) =>
      seen.type === 'present' ? [seen.pod.metadata.resourceVersion] : [],
    );
    expect(versions).toEqual([...new Set(versions)].sort());
  });

  it('serves a hundred Pods with one list and one watch', async () => {
    const { api, client } = await setUp({ script: hostRuns() });
    const names = Array.from({ length: 100 }, (_, index) => `s${index}`);
    const followed = names.map((name) => follow(client, { name }));
    await untilWatching({ api, client });
    await Promise.all(names.map((name) => client.createPod(buildTestPod(name), { signal })));
    await expect
      .poll(
        () =>
          followed.filter(({ observations }) => summarize(observations).at(-1) === 'present Running').length,
        PATIENCE,
      )
      .toBe(100);
    expect([api.count(lists), api.count(watches), api.count(gets)]).toEqual([1, 1, 0]);
  });

  it('tells at once what it knows of a Pod that ran before anyone else subscribed', async () => {
    const { api, client } = await setUp({ script: hostRuns() });
    const early = follow(client);
    await untilWatching({ api, client });
    const known = await client.createPod(buildTestPod('s1'), { signal });
    await expect.poll(() => summarize(early.observations).at(-1), PATIENCE).toBe('present Running');
    const { observations } = follow(client, { known });
    await Promise.resolve();
    expect(summarize(observations)).toEqual(['present Running']);
    expect(api.count(gets)).toBe(0);
  });

  it('says deleted when the known Pod went before the first list', async () => {
    const { api, client } = await setUp();
    const known = await client.createPod(buildTestPod('s1'), { signal });
    remove(api, 's1');
    const { observations } = follow(client, { known });
    await expect.poll(() => summarize(observations), PATIENCE).toEqual(['deleted']);
  });

  it('says deleted when the known Pod went before the subscription, while the watch ran', async () => {
    const { api, client } = await setUp();
    follow(client, { name: 'another' });
    await untilWatching({ api, client });
    const known = await client.createPod(buildTestPod('s1'), { signal });
    const early = follow(client, { known });
    remove(api, 's1');
    await expect.poll(() => summarize(early.observations), PATIENCE).toEqual(['deleted']);
    const { observations } = follow(client, { known });
    await expect.poll(() => summarize(observations), PATIENCE).toEqual(['deleted']);
  });

  it('does not take a successor of the same name for the known Pod', async () => {
    const { api, client } = await setUp();
    const known = await client.createPod(buildTestPod('s1'), { signal });
    const { observations } = follow(client, { known });
    await untilWatching({ api, client });
    remove(api, 's1');
    const other = follow(client);
    await client.createPod(buildTestPod('s1'), { signal });
    setPhase(api, 's1', 'Running');
    await expect.poll(() => summarize(other.observations).at(-1), PATIENCE).toBe('present Running');
    expect(summarize(observations)).toEqual(['deleted']);
  });

  it('looks up a Pod that nobody knows, and says when there is none', async () => {
    const { api, client } = await setUp();
    const none = follow(client, { lookUp: true });
    await expect.poll(() => summarize(none.observations), PATIENCE).toEqual(['absent']);
    await client.createPod(buildTestPod('s2'), { signal });
    const some = follow(client, { name: 's2', lookUp: true });
    await expect.poll(() => summarize(some.observations), PATIENCE).toEqual(['present Pending']);
    expect(api.count(gets)).toBeLessThanOrEqual(2);
  });

  it('tells nothing of what was on its way when a subscription closes', async () => {
    const { api, client } = await setUp();
    const told: PodObservation[] = [];
    const subscription = client.podWatch.subscribe({
      name: 's1',
      onObservation(observation) {
        told.push(observation);
        if (told.length === 2) subscription.close();
      },
    });
    await untilWatching({ api, client });
    await client.createPod(buildTestPod('s1'), { signal });
    await expect.poll(() => told.length, PATIENCE).toBe(1);
    api.watches.mute(true);
    remove(api, 's1');
    api.watches.mute(false);
    // One event that is two observations: the old Pod is gone, another is there.
    await client.createPod(buildTestPod('s1'), { signal });
    await expect.poll(() => told.length, PATIENCE).toBe(2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(summarize(told)).toEqual(['present Pending', 'deleted']);
  });

  it('finds every Pod of a long list, also when its pages expire on the way', async () => {
    const { api, client } = await setUp();
    for (let index = 0; index < 501; index += 1) {
      const { metadata } = buildTestPod(`s${String(index).padStart(3, '0')}`);
      const object = { metadata: { ...metadata, namespace: TEST_NAMESPACE, uid: `uid-${index}` } };
      api.store.put({ resource: 'pods', namespace: TEST_NAMESPACE, name: metadata.name }, object);
    }
    const expired = { code: 410, reason: 'Expired', message: 'The provided continue parameter is too old' };
    const fault = api.faults.inject({
      match: ({ query }) => query.has('continue'),
      effect: { type: 'refuse', status: expired },
    });
    const { observations } = follow(client, { name: 's500' });
    await expect.poll(() => summarize(observations), PATIENCE).toEqual(['present ']);
    expect(fault.hits).toBe(1);
    expect(api.requests.filter(({ verb }) => verb === 'list').map(({ query }) => query.get('limit'))).toEqual(
      ['500', '500', null],
    );
  });

  it('tells nothing after the subscription was closed', async () => {
    const { api, client } = await setUp();
    const { observations, subscription } = follow(client);
    const { observations: others } = follow(client);
    await untilWatching({ api, client });
    subscription.close();
    await client.createPod(buildTestPod('s1'), { signal });
    await expect.poll(() => others.length, PATIENCE).toBe(1);
    expect(observations).toEqual([]);
  });
});

describe('interruptions', () => {
  const interruptions: [string, (api: FakeApiServer) => void][] = [
    ['a normal end', (api) => api.watches.end()],
    ['a reset', (api) => api.watches.reset()],
    [
      'half a line and a reset',
      (api) => {
        api.watches.sendText('{"type":"MODIFIED","object":{"metadata":{"na');
        api.watches.reset();
      },
    ],
    [
      'half a line and a normal end',
      (api) => {
        api.watches.sendText('{"type":"MODIFIED","obj');
        api.watches.end();
      },
    ],
  ];

  it.each(interruptions)(
    'goes on at the last version after %s, without listing again',
    async (_what, interrupt) => {
      const { api, client, clock } = await setUp();
      const { observations } = follow(client);
      await untilWatching({ api, client });
      await client.createPod(buildTestPod('s1'), { signal });
      await expect.poll(() => observations.length, PATIENCE).toBe(1);
      interrupt(api);
      await expect.poll(() => api.watches.size, PATIENCE).toBe(0);
      setPhase(api, 's1', 'Running');
      await advanceUntil(clock, () => observations.length === 2);
      expect(summarize(observations)).toEqual(['present Pending', 'present Running']);
      expect(api.count(lists)).toBe(1);
    },
  );

  it.each(['status', 'stream'] as const)(
    'lists again and finds what changed when its version has expired (410 in the %s)',
    async (form) => {
      const { api, client, clock } = await setUp();
      api.setGoneForm(form);
      const one = follow(client);
      const two = follow(client, { name: 's2' });
      await untilWatching({ api, client });
      await client.createPod(buildTestPod('s1'), { signal });
      await client.createPod(buildTestPod('s2'), { signal });
      await expect.poll(() => two.observations.length, PATIENCE).toBe(1);
      api.watches.mute(true);
      remove(api, 's1');
      setPhase(api, 's2', 'Running');
      api.store.compact();
      api.watches.mute(false);
      api.watches.end();
      await advanceUntil(clock, () => one.observations.length === 2 && two.observations.length === 2);
      expect(summarize(one.observations)).toEqual(['present Pending', 'deleted']);
      expect(summarize(two.observations)).toEqual(['present Pending', 'present Running']);
      expect(api.count(lists)).toBe(2);
    },
  );

  it('lists again after a 410 in the middle of the stream', async () => {
    const { api, client, clock } = await setUp();
    follow(client);
    await untilWatching({ api, client });
    api.watches.sendError({ code: 410, reason: 'Expired', message: 'too old resource version' });
    await advanceUntil(clock, () => api.count(lists) === 2 && api.watches.size === 1);
    expect(client.podWatch.health()).toEqual({ state: 'watching' });
  });

  it('resumes from a bookmark, so that a quiet watch does not expire', async () => {
    const { api, client, clock } = await setUp();
    const { observations } = follow(client);
    await untilWatching({ api, client });
    api.store.put(
      { resource: 'configmaps', namespace: TEST_NAMESPACE, name: 'x' },
      { metadata: { name: 'x' } },
    );
    api.watches.sendBookmark();
    api.store.compact();
    const version = String(api.store.version);
    await expect
      .poll(async () => {
        await clock.advance(0);
        return api.requests.length;
      }, PATIENCE)
      .toBe(2);
    api.watches.end();
    await advanceUntil(clock, () => api.count(watches) === 2);
    expect(api.requests.at(-1)?.query.get('resourceVersion')).toBe(version);
    await untilWatching({ api, client }, 2);
    await client.createPod(buildTestPod('s1'), { signal });
    await expect.poll(() => observations.length, PATIENCE).toBe(1);
    expect(api.count(lists)).toBe(1);
  });

  it('reads a Pod directly while the watch is silent, and opens the watch anew', async () => {
    const { api, client, clock } = await setUp();
    const { observations } = follow(client);
    await untilWatching({ api, client });
    await client.createPod(buildTestPod('s1'), { signal });
    await expect.poll(() => observations.length, PATIENCE).toBe(1);
    api.watches.mute(true);
    setPhase(api, 's1', 'Running');
    await advanceUntil(clock, () => observations.length === 2, 1_000);
    expect(summarize(observations).at(-1)).toBe('present Running');
    expect(clock.monotonicMs()).toBeLessThan(40_000);
    await advanceUntil(clock, () => api.count(watches) === 2, 1_000);
    expect(clock.monotonicMs()).toBeLessThan(90_000);
  });

  it('finds out by direct reads that a Pod is gone', async () => {
    const { api, client, clock } = await setUp();
    const { observations } = follow(client);
    await untilWatching({ api, client });
    await client.createPod(buildTestPod('s1'), { signal });
    await expect.poll(() => observations.length, PATIENCE).toBe(1);
    api.watches.mute(true);
    remove(api, 's1');
    await advanceUntil(clock, () => observations.length === 2, 1_000);
    expect(summarize(observations)).toEqual(['present Pending', 'deleted']);
  });

  it('asks for nothing but the watch while the stream is alive', async () => {
    const { api, client, clock } = await setUp();
    follow(client);
    await untilWatching({ api, client });
    await client.createPod(buildTestPod('s1'), { signal });
    for (let second = 0; second < 120; second += 5) {
      api.watches.sendBookmark();
      await clock.advance(5_000);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect([api.count(lists), api.count(watches), api.count(gets)]).toEqual([1, 1, 0]);
  });
});

describe('outages', () => {
  const status = { code: 500, reason: 'InternalError', message: 'etcdserver: leader changed' };

  it('says once that it cannot see, never gives up, and goes on when it can', async () => {
    const { api, client, clock } = await setUp();
    const outage = api.faults.inject({ effect: { type: 'refuse', status }, times: 1_000 });
    const { observations } = follow(client);
    await advanceUntil(clock, () => clock.monotonicMs() > 120_000, 1_000);
    expect(summarize(observations)).toEqual(['trouble unavailable']);
    const health = client.podWatch.health();
    expect(health).toMatchObject({ state: 'failing' });
    expect(health.state === 'failing' && health.since - START_MS).toBeLessThan(15_000);
    expect(outage.hits).toBeGreaterThan(8);
    outage.remove();
    await client.createPod(buildTestPod('s1'), { signal });
    await advanceUntil(clock, () => observations.length === 2, 1_000);
    expect(summarize(observations)).toEqual(['trouble unavailable', 'present Pending']);
    expect(client.podWatch.health()).toEqual({ state: 'watching' });
  });

  it('starts at the least waiting time again after it could see', async () => {
    const { api, client, clock } = await setUp();
    const outage = api.faults.inject({ effect: { type: 'refuse', status }, times: 1_000 });
    follow(client);
    await advanceUntil(clock, () => clock.monotonicMs() > 60_000, 1_000);
    outage.remove();
    await advanceUntil(clock, () => api.watches.size === 1, 1_000);
    await client.createPod(buildTestPod('s1'), { signal });
    await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const before = api.count(watches);
    const endedMs = clock.monotonicMs();
    api.watches.end();
    await expect.poll(() => api.watches.size, PATIENCE).toBe(0);
    await advanceUntil(clock, () => api.count(watches) > before, 25);
    expect(clock.monotonicMs() - endedMs).toBeLessThan(300);
  });

  it('polls every two seconds while watch is forbidden, and watches once it may', async () => {
    const { api, client, clock } = await setUp();
    const allow = api.rights.deny({ verb: 'watch', resource: 'pods' });
    const { observations } = follow(client);
    await api.untilRequested(watches);
    await advanceUntil(clock, () => client.podWatch.health().state === 'polling');
    await client.createPod(buildTestPod('s1'), { signal });
    const fromMs = clock.monotonicMs();
    await advanceUntil(clock, () => observations.length === 1);
    expect(clock.monotonicMs() - fromMs).toBeLessThanOrEqual(2_250);
    expect(api.count(watches)).toBe(1);
    allow();
    await advanceUntil(clock, () => api.count(watches) === 2, 2_000);
    expect(clock.monotonicMs()).toBeGreaterThan(299_000);
  });

  it('does not take a stale list for the deletion of a newer Pod', async () => {
    const { api, client, clock } = await setUp();
    follow(client, { name: 'another' });
    await untilWatching({ api, client });
    api.freezeReads();
    const known = await client.createPod(buildTestPod('s1'), { signal });
    const { observations } = follow(client, { known });
    api.watches.sendError({ code: 410, reason: 'Expired', message: 'too old resource version' });
    await advanceUntil(clock, () => api.count(lists) >= 2 && api.watches.size === 1);
    api.thawReads();
    setPhase(api, 's1', 'Running');
    await expect.poll(() => summarize(observations), PATIENCE).toEqual(['present Running']);
  });
});

describe('lifetime', () => {
  it('stops some time after its last subscriber, and leaves no socket', async () => {
    const { api, client, clock } = await setUp();
    const { subscription } = follow(client);
    await untilWatching({ api, client });
    subscription.close();
    await clock.advance(20_000);
    expect(api.watches.size).toBe(1);
    await clock.advance(10_001);
    await expect.poll(() => api.watches.size, PATIENCE).toBe(0);
    await expect.poll(() => client.podWatch.health().state, PATIENCE).toBe('idle');
    follow(client);
    await untilWatching({ api, client }, 2);
    expect(api.count(lists)).toBe(2);
  });

  it('goes on when a subscriber comes in time', async () => {
    const { api, client, clock } = await setUp();
    const { subscription } = follow(client);
    await untilWatching({ api, client });
    subscription.close();
    await clock.advance(20_000);
    follow(client);
    await clock.advance(20_000);
    expect([api.watches.size, api.count(watches)]).toEqual([1, 1]);
  });

  it('closes with everything it opened', async () => {
    const { api, client } = await setUp();
    for (let count = 0; count < 200; count += 1) follow(client, { name: `s${count}` });
    await untilWatching({ api, client });
    await client.close();
    await expect.poll(() => api.socketCount, PATIENCE).toBe(0);
    const { observations } = follow(client);
    await client.close();
    expect(observations).toEqual([]);
    expect(api.watches.size).toBe(0);
  });
});
