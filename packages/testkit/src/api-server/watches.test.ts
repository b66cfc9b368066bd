import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../clock/fake-clock.ts';
import type { FakeClock } from '../clock/fake-clock.ts';
import { createFakeApiServer } from './create-fake-api-server.ts';
import type { FakeApiServer } from './create-fake-api-server.ts';
import { PODS, callApi, createPods, openWatch } from './testing/call-api.ts';
import type { WatchReader } from './testing/call-api.ts';

/** For what comes by a socket: long enough for a machine that is busy. */
const PATIENCE = { timeout: 15_000 };

let api: FakeApiServer;
let clock: FakeClock;

beforeEach(async () => {
  clock = createFakeClock();
  api = await createFakeApiServer({ clock });
});
afterEach(async () => await api.close());

const summarize = ({ events }: WatchReader) =>
  events.map(({ type, object }) => `${type} ${(object['metadata'] as { name?: string }).name ?? ''}`.trim());
const from = (version = api.store.version) => `resourceVersion=${version}`;
const relabel = (name: string, app: string) =>
  callApi(api, {
    method: 'PATCH',
    path: `${PODS}/${name}`,
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels: { app } } },
  });

describe('a watch', () => {
  it('tells what happened since its version, then what happens', async () => {
    const version = api.store.version;
    await createPods(api, 'a');
    const watch = await openWatch(api, from(version));
    await createPods(api, 'b');
    await callApi(api, { method: 'DELETE', path: `${PODS}/a` });
    await expect.poll(() => summarize(watch), PATIENCE).toEqual(['ADDED a', 'ADDED b', 'DELETED a']);
    watch.close();
    await expect.poll(() => api.watches.size, PATIENCE).toBe(0);
  });

  it('without a version begins with everything there is', async () => {
    await createPods(api, 'a', 'b');
    const watch = await openWatch(api, '');
    await expect.poll(() => summarize(watch), PATIENCE).toEqual(['ADDED a', 'ADDED b']);
  });

  it('of a selector sees an object come and go with its label', async () => {
    const watch = await openWatch(api, `labelSelector=app%3Dx&${from()}`);
    await createPods(api, 'a');
    await relabel('a', 'x');
    await relabel('a', 'y');
    await expect.poll(() => summarize(watch), PATIENCE).toEqual(['ADDED a', 'DELETED a']);
  });

  it('gets bookmarks every minute when it wants them, and ends when its time is up', async () => {
    const watch = await openWatch(api, `allowWatchBookmarks=true&timeoutSeconds=90&${from()}`);
    const plain = await openWatch(api, `timeoutSeconds=90&${from()}`);
    await clock.advance(60_000);
    await expect.poll(() => summarize(watch), PATIENCE).toEqual(['BOOKMARK']);
    expect(watch.events[0]?.object).toMatchObject({
      metadata: { resourceVersion: String(api.store.version) },
    });
    expect(plain.events).toEqual([]);
    await clock.advance(30_000);
    expect([await watch.ended, await plain.ended]).toEqual([true, true]);
  });

  it('of a version that is compacted is gone, by the stream or by the status', async () => {
    await createPods(api, 'a');
    const version = api.store.version - 1;
    api.store.compact();
    const watch = await openWatch(api, from(version));
    expect(await watch.ended).toBe(true);
    expect(watch.events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
    api.setGoneForm('status');
    expect(await callApi(api, { path: `${PODS}?watch=1&${from(version)}` })).toMatchObject({ status: 410 });
  });

  it('can be ended, reset, muted and fed', async () => {
    const ended = await openWatch(api, from());
    await expect.poll(() => api.watches.size, PATIENCE).toBe(1);
    api.watches.end();
    expect(await ended.ended).toBe(true);
    const reset = await openWatch(api, from());
    api.watches.mute(true);
    await createPods(api, 'a');
    api.watches.mute(false);
    await createPods(api, 'b');
    api.watches.sendText('{"type":"ADDED","object":{"metadata":{"name":"raw"}}}\n');
    await expect.poll(() => summarize(reset), PATIENCE).toEqual(['ADDED b', 'ADDED raw']);
    api.watches.reset();
    expect(await reset.ended).toBe(false);
    const failed = await openWatch(api, from());
    await expect.poll(() => api.watches.size, PATIENCE).toBe(1);
    api.watches.sendError({ code: 500, reason: 'InternalError', message: 'no' });
    expect(await failed.ended).toBe(true);
    expect(failed.events).toMatchObject([{ type: 'ERROR', object: { code: 500 } }]);
  });
});
