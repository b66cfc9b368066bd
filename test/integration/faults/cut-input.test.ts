/** A caller that goes away in the middle of a body: what came is kept, and nobody takes it for all of it. */
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { LOG_STREAM, LogDecoder, SERVER_ROUTES, HOST_ROUTES, processSchema } from '@omnigent/protocol';
import { expect, it } from 'vitest';
import { isReady, startTestServer, waitForEvent } from '../server-harness/test-server.ts';
import type { TestServer } from '../server-harness/test-server.ts';

const SIZE = 4 * 1024 * 1024;
const TOKEN = 'a-token-of-these-tests-only';

/** Begins to send a body of a certain length, sends a part of it, and is gone. */
async function sendAndVanish(
  api: TestServer,
  path: string,
  options: { part: Buffer; length?: number },
): Promise<void> {
  const { part, length } = options;
  const call = request(new URL(path, api.server.url), {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...(length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': length }),
    },
  });
  call.on('error', () => undefined);
  await new Promise<void>((resolve) => call.write(part, () => resolve()));
  await new Promise((resolve) => setImmediate(resolve));
  const closed = new Promise((resolve) => call.once('close', resolve));
  call.destroy();
  await closed;
}

it.each([
  ['of a known length', SIZE],
  ['in chunks', undefined],
])('input %s that is cut does not end the input', async (_kind, length) => {
  await using api = await startTestServer();
  const { id } = await api.launch();
  await waitForEvent(api.events(id), isReady);
  const process = SERVER_ROUTES.host(id, HOST_ROUTES.process('p1'));
  const started = await api.call('PUT', process, { json: { argv: ['sha256sum'], stdin: 'pipe' } });
  expect(started.status).toBe(201);
  const data = randomBytes(SIZE);
  const input = SERVER_ROUTES.host(id, HOST_ROUTES.input('p1'));
  await sendAndVanish(api, `${input}?offset=0&eof=1`, {
    part: data.subarray(0, SIZE / 2),
    ...(length === undefined ? {} : { length }),
  });
  const read = async () => processSchema.parse(await (await api.call('GET', process)).json());
  await expect.poll(async () => (await read()).input.offset, { timeout: 10_000 }).toBeGreaterThan(0);
  // A call that comes after the cut has been noticed tells where to go on.
  const again = await api.call('PUT', `${input}?offset=0&eof=1`, { body: new Uint8Array(data) });
  expect(again.status).toBe(200);
  expect(await again.json()).toEqual({ offset: SIZE, closed: true });
  const output = await api.call('GET', `${SERVER_ROUTES.host(id, HOST_ROUTES.output('p1'))}?follow=1`);
  const decoder = new LogDecoder(0);
  let text = '';
  for (const record of decoder.push(new Uint8Array(await output.arrayBuffer())))
    if (record.stream === LOG_STREAM.stdout) text += new TextDecoder().decode(record.data);
  expect(text).toContain(createHash('sha256').update(data).digest('hex'));
});
