/** Whatever a host answers in good HTTP/2, the caller gets one answer or a broken connection, and the server goes on. */
import type { ServerHttp2Stream } from 'node:http2';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOST_ROUTES, SERVER_ROUTES } from '@omnigent/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isReady, startTestServer, waitForEvent } from '../server-harness/test-server.ts';
import type { TestServer } from '../server-harness/test-server.ts';
import { openHostileHost, toAnswer } from './hostile-host.ts';
import type { Answer, HostileHost } from './hostile-host.ts';

let directory = '';
let api: TestServer;
let neighbour: HostileHost;
let host: HostileHost;
let answer: Answer = toAnswer({});
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'omnigent-answers-'));
  const hostBundle = join(directory, 'idle.mjs');
  await writeFile(hostBundle, 'setInterval(() => undefined, 1000);');
  api = await startTestServer({ hostBundle });
  neighbour = await openHostileHost(api, { [HOST_ROUTES.processes]: toAnswer({ items: [] }) });
  host = await openHostileHost(api, { '*': (stream) => answer(stream) });
  for (const { sandboxId } of [neighbour, host]) await waitForEvent(api.events(sandboxId), isReady);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

/** What a host may do with a stream, as data. */
interface Behaviour {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly Uint8Array[];
  readonly ending: 'end' | 'cancel' | 'fault' | 'trailers';
}

const value = fc.oneof(
  fc.string({ maxLength: 200 }).filter((text) => /^[\x21-\x7e]*$/.test(text)),
  fc.constantFrom('0', '5', '-1', '99999999999999999999', 'chunked', 'text/html', 'application/problem+json'),
);
const headers = fc.dictionary(
  fc.constantFrom(
    'content-type',
    'content-length',
    'content-range',
    'etag',
    'accept-ranges',
    'omnigent-log-offset',
    'omnigent-log-first-offset',
    'x-request-id',
    'set-cookie',
  ),
  value,
  { maxKeys: 5 },
);
const chunk = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 5_000 }),
  fc
    .constantFrom('{"code":"sandbox_not_found"}', '{}', '[]', 'null', '{"items":[{}]}')
    .map((text) => Buffer.from(text)),
);
const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  status: fc.oneof(
    fc.integer({ min: 200, max: 599 }),
    fc.constantFrom(0, 42, 199, 204, 205, 304, 600, 777, 999),
  ),
  headers,
  chunks: fc.array(chunk, { maxLength: 4 }),
  ending: fc.constantFrom('end', 'cancel', 'fault', 'trailers'),
});

function behave(stream: ServerHttp2Stream, { status, headers, chunks, ending }: Behaviour): void {
  try {
    stream.respond({ ':status': status, ...headers }, { waitForTrailers: ending === 'trailers' });
  } catch {
    // Not even this library sends it.
    return stream.close(2);
  }
  stream.once('wantTrailers', () => stream.sendTrailers({ 'content-type': 'text/html', 'x-late': '1' }));
  for (const chunk of chunks) stream.write(chunk);
  if (ending === 'cancel') stream.close(8);
  else if (ending === 'fault') stream.close(2);
  else stream.end();
}

const paths = fc.constantFrom(
  HOST_ROUTES.processes,
  HOST_ROUTES.process('p'),
  `${HOST_ROUTES.output('p')}?follow=1`,
  HOST_ROUTES.ports,
  `${HOST_ROUTES.files}?path=/x`,
  `${HOST_ROUTES.archive}?path=/x`,
);

it('no answer costs the server more than the call', async () => {
  const answers = fc.assert(
    fc.asyncProperty(behaviour, paths, async (next, path) => {
      answer = (stream) => behave(stream, next);
      const signal = AbortSignal.timeout(20_000);
      const response = await api.call('GET', SERVER_ROUTES.host(host.sandboxId, path), { signal });
      expect(response.status).toBeGreaterThanOrEqual(200);
      if (next.status !== 500) expect(response.status).not.toBe(500);
      expect(response.headers.has('set-cookie')).toBe(false);
      await response.arrayBuffer().catch(() => undefined);
      expect(signal.aborted).toBe(false);
      const other = await api.call('GET', SERVER_ROUTES.host(neighbour.sandboxId, HOST_ROUTES.processes));
      expect([other.status, await other.json()]).toEqual([200, { items: [] }]);
    }),
    { numRuns: 150, seed: 7 },
  );
  await expect(answers).resolves.toBeUndefined();
});
