/** A host that stands still: the server finds out by itself, says so, and goes on with it when it moves again. */
import { HOST_ROUTES, LOG_STREAM, LogDecoder, SERVER_ROUTES, systemClock } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import { expect, it } from 'vitest';
import { isReady, startTestServer, waitForEvent } from '../server-harness/test-server.ts';

/** What the server sleeps between two pings. */
const PING_MS = 15_000;
const HURRY = 15;

/** The system's clock, by which the server pings more often. */
const hurriedClock: Clock = {
  ...systemClock,
  sleep: (delayMs, options) => systemClock.sleep(delayMs === PING_MS ? delayMs / HURRY : delayMs, options),
};

it('is offline until it moves again, and no output is lost', async () => {
  await using api = await startTestServer({ clock: hurriedClock });
  const { id } = await api.launch();
  await waitForEvent(api.events(id), isReady);
  const route = (path: string) => SERVER_ROUTES.host(id, path);
  const json = { argv: ['sh', '-c', 'echo before; read line; echo "$line"'], stdin: 'pipe' };
  expect((await api.call('PUT', route(HOST_ROUTES.process('p')), { json })).status).toBe(201);
  const [host] = api.launcher.hosts.values();
  host?.kill('SIGSTOP');
  await waitForEvent(
    api.events(id),
    ({ type, ...event }) =>
      type === 'condition' &&
      'condition' in event &&
      event.condition.type === 'HostConnected' &&
      event.condition.status === 'False',
  );
  const refused = await api.call('GET', route(HOST_ROUTES.processes));
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, 'host_offline']);

  host?.kill('SIGCONT');
  const list = async () => (await api.call('GET', route(HOST_ROUTES.processes))).status;
  await expect.poll(list, { timeout: 40_000 }).toBe(200);
  const input = `${route(HOST_ROUTES.input('p'))}?offset=0&eof=1`;
  expect((await api.call('PUT', input, { body: 'after\n' })).status).toBe(200);
  const output = await api.call('GET', `${route(HOST_ROUTES.output('p'))}?follow=1`);
  const records = [...new LogDecoder(0).push(new Uint8Array(await output.arrayBuffer()))];
  const texts = records
    .filter(({ stream }) => stream === LOG_STREAM.stdout)
    .map(({ data }) => Buffer.from(data));
  expect(Buffer.concat(texts).toString()).toBe('before\nafter\n');
}, 120_000);
