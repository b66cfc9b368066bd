import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../clock/fake-clock.ts';
import type { FakeClock } from '../clock/fake-clock.ts';
import { createFakeApiServer } from './create-fake-api-server.ts';
import type { FakeApiServer } from './create-fake-api-server.ts';
import { PODS, buildPod, callApi, createPods } from './testing/call-api.ts';

let api: FakeApiServer;
let clock: FakeClock;

beforeEach(async () => {
  clock = createFakeClock();
  api = await createFakeApiServer({ clock });
});
afterEach(async () => await api.close());

const create = { method: 'POST', path: PODS, body: buildPod('a') } as const;
const match = { verb: 'create', resource: 'pods' } as const;
const stored = () => api.store.list('pods', '').length;

describe('faults', () => {
  it('strike so many requests that match, after so many others', async () => {
    const status = { code: 503, reason: 'ServiceUnavailable', message: 'no' };
    const fault = api.faults.inject({
      match: { verb: 'list' },
      after: 1,
      times: 2,
      effect: { type: 'refuse', status },
    });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await callApi(api, { path: PODS })).status);
    expect(statuses).toEqual([200, 503, 503, 200]);
    expect(fault.hits).toBe(2);
    expect((await callApi(api, create)).status).toBe(201);
  });

  it('end when they are removed', async () => {
    const fault = api.faults.inject({ effect: { type: 'reset' }, times: 9 });
    fault.remove();
    expect((await callApi(api, { path: PODS })).status).toBe(200);
    api.faults.inject({ effect: { type: 'reset' }, times: 9 });
    api.faults.clear();
    expect((await callApi(api, { path: PODS })).status).toBe(200);
  });

  it('carry headers and any body', async () => {
    const status = { code: 429, reason: 'TooManyRequests', message: 'slow' };
    api.faults.inject({ effect: { type: 'refuse', status, headers: { 'retry-after': '7' } } });
    expect((await callApi(api, { path: PODS })).headers.get('retry-after')).toBe('7');
    api.faults.inject({ effect: { type: 'answer', status: 502, body: '<html>' } });
    expect(await callApi(api, { path: PODS })).toMatchObject({ status: 502, body: '<html>' });
  });

  it('reset before anything is done, or after it', async () => {
    api.faults.inject({ match, effect: { type: 'reset' } });
    await expect(callApi(api, create)).rejects.toThrow('fetch failed');
    expect(stored()).toBe(0);
    api.faults.inject({ match, effect: { type: 'lose-answer' } });
    await expect(callApi(api, create)).rejects.toThrow('fetch failed');
    expect(stored()).toBe(1);
  });

  it('break off in the middle of an answer', async () => {
    api.faults.inject({ match, effect: { type: 'truncate' } });
    await expect(callApi(api, create)).rejects.toThrow(/terminated|aborted|fetch failed/);
    expect(stored()).toBe(1);
  });

  it.each([
    ['silence', 0],
    ['swallow-answer', 1],
  ] as const)('leave a request unanswered: %s', async (type, count) => {
    api.faults.inject({ match, effect: { type } });
    const signal = AbortSignal.timeout(50);
    await expect(
      fetch(`${api.url}${PODS}`, { method: 'POST', body: JSON.stringify(create.body), signal }),
    ).rejects.toThrow('timeout');
    expect(stored()).toBe(count);
    expect(api.requests.at(-1)?.status).toBeNull();
  });

  it('answer late by the clock', async () => {
    api.faults.inject({ match: { name: 'a' }, effect: { type: 'delay', delayMs: 1_000 } });
    const creating = callApi(api, create);
    await clock.untilSleeping(1_000);
    expect(stored()).toBe(0);
    await clock.advance(1_000);
    expect((await creating).status).toBe(201);
  });
});

describe('requests', () => {
  it('are recorded and counted', async () => {
    await createPods(api, 'a', 'b');
    await callApi(api, { path: `${PODS}/a` });
    expect(api.count()).toBe(3);
    expect(api.count({ verb: 'create', name: 'b' })).toBe(1);
    expect(api.requests.at(-1)).toMatchObject({
      verb: 'get',
      resource: 'pods',
      name: 'a',
      status: 200,
      at: clock.now(),
    });
  });

  it('can be waited for', async () => {
    const waiting = api.untilRequested({ verb: 'list' }, 2);
    await callApi(api, { path: PODS });
    await callApi(api, { path: PODS });
    await waiting;
    expect(api.count({ verb: 'list' })).toBe(2);
  });
});
