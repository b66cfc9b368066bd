/** A host that is not ours to trust: whatever it sends, the server lives and other sandboxes notice nothing. */
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

const PROCESSES = HOST_ROUTES.processes;
const ENDLESS = Buffer.alloc(64 * 1024, ' ');

let directory = '';
let api: TestServer;
let neighbour: HostileHost;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'omnigent-hostile-'));
  const hostBundle = join(directory, 'idle.mjs');
  await writeFile(hostBundle, 'setInterval(() => undefined, 1000);');
  api = await startTestServer({ hostBundle });
  neighbour = await openHostileHost(api, { [PROCESSES]: toAnswer({ items: [] }) });
  await waitForEvent(api.events(neighbour.sandboxId), isReady);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

async function callProcesses({ sandboxId }: HostileHost): Promise<Response> {
  return await api.call('GET', SERVER_ROUTES.host(sandboxId, PROCESSES));
}

async function expectOthersWell(): Promise<void> {
  expect((await api.call('GET', SERVER_ROUTES.healthz)).status).toBe(200);
  const answer = await callProcesses(neighbour);
  expect([answer.status, await answer.json()]).toEqual([200, { items: [] }]);
}

/** Writes for ever, at the reader's pace. */
const answerEndlessly: Answer = (stream) => {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  const write = () => {
    while (!stream.destroyed && stream.write(ENDLESS));
  };
  stream.on('drain', write);
  write();
};

const answerWithGiantHeaders: Answer = (stream) => {
  stream.respond({ ':status': 200, 'x-giant': 'x'.repeat(60_000), 'x-more': 'y'.repeat(60_000) });
  stream.end();
};

it.each<[string, Answer]>([
  ['is no JSON', toAnswer('{"version":')],
  ['is another shape', toAnswer({ version: 1 })],
  ['has too many capabilities', toAnswer({ capabilities: Array.from({ length: 10_000 }, () => 'x') })],
  ['never ends', answerEndlessly],
  ['has giant headers', answerWithGiantHeaders],
  ['is a reset', (stream) => stream.close(2)],
])('a host whose status %s does not get in', async (_what, answer) => {
  const host = await openHostileHost(api, { [HOST_ROUTES.status]: answer });
  expect(await host.closed).toBeGreaterThan(1000);
  await expectOthersWell();
});

it('a host that floods the progress of its workspace fills neither memory nor store', async () => {
  const line = `${JSON.stringify({ type: 'progress', directory: 'x', message: 'm'.repeat(300) })}\n`;
  const flood: Answer = (stream) => {
    stream.respond({ ':status': 200 });
    let left = 500;
    const write = () => {
      while (left > 0 && stream.write(line.repeat(100))) left -= 1;
      if (left <= 0) stream.end('{"type":"done","path":"/w","heads":{}}\n');
      else left -= 1;
    };
    stream.on('drain', write);
    write();
  };
  const host = await openHostileHost(api, { [HOST_ROUTES.workspace]: flood });
  const events = await waitForEvent(api.events(host.sandboxId), isReady);
  expect(events.filter(({ type }) => type === 'progress').length).toBeLessThan(100);
  await expectOthersWell();
});

it.each<[string, (host: HostileHost) => void]>([
  ['a text frame', ({ socket }) => socket.send('{"kind":"host.hello"}')],
  ['a message of 5 MiB', ({ socket }) => socket.send(Buffer.alloc(5 * 1024 * 1024))],
])('a host that sends %s into its tunnel loses it', async (_what, attack) => {
  const host = await openHostileHost(api, {});
  await waitForEvent(api.events(host.sandboxId), isReady);
  attack(host);
  expect(await host.closed).toBeGreaterThan(1000);
  await expectOthersWell();
});

it('no bytes of a host in its tunnel hurt the server or another sandbox', async () => {
  const attacks = fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 9, maxLength: 20_000 }), async (bytes) => {
      const host = await openHostileHost(api, {});
      await waitForEvent(api.events(host.sandboxId), isReady);
      host.socket.send(bytes);
      await expectOthersWell();
      host.socket.terminate();
      await host.closed;
    }),
    { numRuns: 20 },
  );
  await expect(attacks).resolves.toBeUndefined();
});

it('a cookie, a redirect and unknown headers of a host do not reach the caller', async () => {
  const host = await openHostileHost(api, {
    [PROCESSES]: (stream) => {
      stream.respond({ ':status': 200, 'set-cookie': 'a=b', location: 'http://127.0.0.1:1/', 'x-own': '1' });
      stream.end('{}');
    },
  });
  await waitForEvent(api.events(host.sandboxId), isReady);
  const { headers } = await callProcesses(host);
  expect(['set-cookie', 'location', 'x-own'].filter((name) => headers.has(name))).toEqual([]);
});
