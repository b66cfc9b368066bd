/** Readers that do not read: they wait on their own, and nobody else waits for them. */
import { once } from 'node:events';
import { request } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { HOST_ROUTES, SERVER_ROUTES } from '@omnigent/protocol';
import { expect, it } from 'vitest';
import { isReady, startTestServer, waitForEvent } from '../server-harness/test-server.ts';
import type { TestServer } from '../server-harness/test-server.ts';

const FOLLOWERS = 300;
const TOKEN = 'a-token-of-these-tests-only';

/** Asks for the output and never reads it. */
async function stall(api: TestServer, path: string): Promise<ClientRequest> {
  const call = request(new URL(path, api.server.url), { headers: { authorization: `Bearer ${TOKEN}` } });
  call.on('error', () => undefined).end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.on('error', () => undefined).pause();
  return call;
}

it(`${FOLLOWERS} followers that stall leave the sandbox usable`, async () => {
  await using api = await startTestServer();
  const { id } = await api.launch();
  await waitForEvent(api.events(id), isReady);
  const route = (path: string) => SERVER_ROUTES.host(id, path);
  const json = { argv: ['head', '-c', '20000000', '/dev/zero'] };
  await api.call('PUT', route(HOST_ROUTES.process('big')), { json });
  const calls: ClientRequest[] = [];
  for (let number = 0; number < FOLLOWERS; number += 1)
    calls.push(await stall(api, `${route(HOST_ROUTES.output('big'))}?follow=1`));
  const answer = await api.call('PUT', `${route(HOST_ROUTES.process('other'))}?follow=1`, {
    json: { argv: ['echo', 'well'] },
    signal: AbortSignal.timeout(10_000),
  });
  expect(answer.status).toBe(201);
  expect(await answer.text()).toContain('well');
  for (const call of calls) call.destroy();
});
