/** Whatever a caller sends, with or without the token, the server answers that it is wrong, closes, or waits; it never fails. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOST_ROUTES, SERVER_ROUTES } from '@omnigent/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isReady, startTestServer, waitForEvent } from '../server-harness/test-server.ts';
import type { TestServer } from '../server-harness/test-server.ts';
import { openHostileHost, toAnswer } from './hostile-host.ts';

/** Connections that say a little and wait. */
const LORISES = 200;

let directory = '';
let api: TestServer;
let sandboxId = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'omnigent-callers-'));
  const hostBundle = join(directory, 'idle.mjs');
  await writeFile(hostBundle, 'setInterval(() => undefined, 1000);');
  api = await startTestServer({ hostBundle });
  ({ sandboxId } = await openHostileHost(api, { '*': toAnswer({ items: [] }) }));
  await waitForEvent(api.events(sandboxId), isReady);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

async function expectWell(): Promise<void> {
  expect((await api.call('GET', SERVER_ROUTES.healthz)).status).toBe(200);
  const answer = await api.call('GET', SERVER_ROUTES.host(sandboxId, HOST_ROUTES.processes));
  expect([answer.status, await answer.json()]).toEqual([200, { items: [] }]);
}

/** Sends a request as it is, paths that no URL parser would let through included. */
async function send(options: {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}): Promise<{ readonly status: number; readonly text: string }> {
  const { method, path, headers, body } = options;
  const length = { 'content-length': Buffer.byteLength(body) };
  const place = {
    host: '127.0.0.1',
    port: api.server.port,
    agent: false,
    signal: AbortSignal.timeout(20_000),
  } as const;
  const call = request({ ...place, method, path, headers: { ...headers, ...length } });
  return await new Promise((resolve, reject) => {
    call.once('error', reject);
    call.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('close', () => resolve({ status: response.statusCode ?? 0, text }));
      response.once('error', reject);
    });
    call.end(body);
  });
}

const segment = fc.oneof(
  fc.constantFrom('v1', 'sandboxes', 'processes', 'files', 'attach', 'ports', 'preview', '3000'),
  fc.constantFrom('plan', 'preflight', 'hosts', 'tunnel', 'connect', '..', '%2e%2e', '%', '%ff', '%00', ''),
  fc.string({ maxLength: 20 }).map((text) => encodeURIComponent(text.toWellFormed())),
);
const query = fc.oneof(
  fc.constant(''),
  fc.constantFrom(
    '?limit=x',
    '?limit=-1',
    '?cursor=%00',
    '?cursor=e30',
    '?after=-1',
    '?path=',
    '?dry_run=2',
    '?offset=1e9',
  ),
  fc.string({ maxLength: 30 }).map((text) => `?${encodeURIComponent(text.toWellFormed())}`),
);
const json = fc.oneof(
  fc.json(),
  fc
    .record(
      {
        name: fc.jsonValue(),
        repositories: fc.array(fc.oneof(fc.string(), fc.jsonValue()), { maxLength: 3 }),
        env: fc.jsonValue(),
        provider: fc.oneof(fc.constantFrom('local', 'kubernetes'), fc.jsonValue()),
        port: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
);

it('no request makes the server fail', async () => {
  const call = fc.record({
    method: fc.constantFrom('GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'),
    path: fc
      .tuple(
        fc.constantFrom('/', `/v1/sandboxes/${sandboxId}/`, '/v1/', '/preview/'),
        fc.array(segment, { maxLength: 4 }),
        query,
      )
      .map(([base, segments, end]) => `${base}${segments.join('/')}${end}`),
    type: fc.constantFrom('application/json', 'text/plain', 'multipart/form-data', ''),
    extra: fc.dictionary(
      fc.constantFrom(
        'idempotency-key',
        'last-event-id',
        'range',
        'if-match',
        'expect',
        'x-forwarded-for',
        'cookie',
        'origin',
      ),
      fc.string({ maxLength: 40 }).filter((text) => /^[\x21-\x7e]*$/.test(text)),
      { maxKeys: 3 },
    ),
    body: fc.oneof(json, fc.uint8Array({ maxLength: 2_000 })),
    isKnown: fc.boolean(),
  });
  const calls = fc.assert(
    fc.asyncProperty(call, async ({ method, path, type, extra, body, isKnown }) => {
      // What an owner may do is no attack: removing the sandbox, launching others.
      fc.pre(!isKnown || !/^(DELETE \/v1\/sandboxes\/|POST \/v1\/sandboxes(\?|$))/.test(`${method} ${path}`));
      const token = isKnown ? { authorization: `Bearer ${api.token}` } : {};
      const { status, text } = await send({
        method,
        path,
        headers: { ...extra, ...token, 'content-type': type },
        body,
      });
      expect([status, status === 500 ? text : '']).not.toEqual([500, text]);
      expect(text).not.toMatch(/node_modules|at \w+ \(|a-token-of/);
    }),
    { numRuns: 300, seed: 7 },
  );
  await expect(calls).resolves.toBeUndefined();
  await expectWell();
}, 120_000);

it('no bytes on a connection make the server fail', async () => {
  const line = fc.constantFrom(
    'GET / HTTP/1.1\r\n',
    'PUT /v1/sandboxes HTTP/1.1\r\n',
    'Host: x\r\n',
    'Upgrade: websocket\r\n',
    '\r\n',
  );
  const more = fc.constantFrom(
    'Connection: Upgrade\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Content-Length: 5\r\n',
    'ffffffff\r\n',
    '0\r\n\r\n',
  );
  const bytes = fc.oneof(
    line.map((text) => Buffer.from(text)),
    more.map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 500 }),
  );
  const attacks = fc.assert(
    fc.asyncProperty(fc.array(bytes, { minLength: 1, maxLength: 12 }), async (parts) => {
      const socket = connect(api.server.port, '127.0.0.1');
      socket.on('error', () => undefined).resume();
      await once(socket, 'connect');
      const closed = once(socket, 'close');
      socket.end(Buffer.concat(parts), () => setImmediate(() => socket.destroy()));
      await closed;
    }),
    { numRuns: 300, seed: 7 },
  );
  await expect(attacks).resolves.toBeUndefined();
  await expectWell();
}, 120_000);

it(`${LORISES} connections that never finish their request keep nobody else waiting`, async () => {
  const sockets = Array.from({ length: LORISES }, () => connect(api.server.port, '127.0.0.1'));
  for (const socket of sockets) socket.on('error', () => undefined);
  await Promise.all(sockets.map(async (socket) => await once(socket, 'connect')));
  for (const socket of sockets) socket.write(`GET ${SERVER_ROUTES.healthz} HTTP/1.1\r\nHost: x\r\nX-Slow: `);
  const { status } = await api.call('GET', SERVER_ROUTES.healthz, { signal: AbortSignal.timeout(20_000) });
  expect(status).toBe(200);
  await expectWell();
  for (const socket of sockets) socket.destroy();
});
