/** Who may open a tunnel, and what is said to the others; a published host that speaks JSON frames. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVER_ROUTES, TUNNEL } from '@omnigent/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { isReady, startTestServer, waitForEvent } from './server-harness/test-server.ts';
import type { TestServer } from './server-harness/test-server.ts';

let directory = '';
let idleHost = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'omnigent-tunnel-'));
  idleHost = join(directory, 'idle.mjs');
  await writeFile(idleHost, 'setInterval(() => undefined, 1000);');
});
afterAll(async () => await rm(directory, { recursive: true, force: true }));

interface Host {
  readonly hostId: string;
  readonly token: string;
}

/** Launches a sandbox whose host never dials; the test does it. */
async function launch(api: TestServer): Promise<Host & { readonly id: string }> {
  const { id } = await api.launch();
  await waitForEvent(api.events(id), (event) => event.type === 'stage' && event.stage === 'connecting');
  const request = api.launcher.requests.find(({ sandboxId }) => sandboxId === id);
  if (request === undefined) throw new Error(`sandbox ${id} was not started`);
  return { id, hostId: request.hostId, token: request.token };
}

function dial(
  api: TestServer,
  { hostId, token }: Host,
  protocols: readonly string[] = [TUNNEL.subprotocol],
): WebSocket {
  const url = new URL(SERVER_ROUTES.tunnel(hostId), api.server.url);
  url.protocol = 'ws:';
  return new WebSocket(url, [...protocols], { headers: { [TUNNEL.tokenHeader]: token } });
}

/** Status and problem code of a tunnel that is refused before the upgrade. */
async function readRefusal(socket: WebSocket): Promise<unknown> {
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [
    unknown,
    AsyncIterable<Buffer> & { statusCode: number },
  ];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, code: (JSON.parse(text) as { code: string }).code };
}

const UNKNOWN_TOKEN = 'x'.repeat(43);

describe('a tunnel', () => {
  it('is refused by what is wrong', async () => {
    await using api = await startTestServer({ hostBundle: idleHost });
    const one = await launch(api);
    const other = await launch(api);
    const unknown = { status: 401, code: 'unauthenticated' };
    expect(await readRefusal(dial(api, { ...one, token: UNKNOWN_TOKEN }))).toEqual(unknown);
    expect(await readRefusal(dial(api, { hostId: 'h000000000000', token: UNKNOWN_TOKEN }))).toEqual(unknown);
    const foreign = { status: 403, code: 'permission_denied' };
    expect(await readRefusal(dial(api, { ...one, token: other.token }))).toEqual(foreign);
    expect(await readRefusal(dial(api, { hostId: 'h000000000000', token: one.token }))).toEqual(foreign);
  });

  it('of a published host is online without what such a host cannot do', async () => {
    await using api = await startTestServer({ hostBundle: idleHost });
    const host = await launch(api);
    const socket = dial(api, host, []);
    await once(socket, 'open');
    expect(socket.protocol).toBe('');
    socket.send(
      JSON.stringify({ kind: 'host.hello', version: '0.6.0', frame_protocol_version: 1, name: 'laptop' }),
    );
    await waitForEvent(api.events(host.id), isReady);
    const sandbox = await (await api.call('GET', SERVER_ROUTES.sandbox(host.id))).json();
    expect(sandbox).toMatchObject({ host: { connected: true, version: '0.6.0', capabilities: [] } });

    const answered = once(socket, 'message');
    socket.send(JSON.stringify({ kind: 'ping', ts: 12.5 }));
    expect(JSON.parse(String((await answered)[0]))).toEqual({ kind: 'pong', ts: 12.5 });

    const refused = await api.call('PUT', `/v1/sandboxes/${host.id}/processes/p1`, {
      json: { argv: ['true'] },
    });
    expect(refused.status).toBe(501);
    expect(await refused.json()).toMatchObject({
      code: 'host_unsupported',
      detail: expect.stringContaining('0.6.0'),
    });

    const closed = once(socket, 'close');
    await api.call('DELETE', `/v1/sandboxes/${host.id}?wait=10`);
    expect((await closed)[0]).toBe(4010);
  });

  it.each([
    ['no JSON', 'hello'],
    ['another frame', JSON.stringify({ kind: 'host.stat' })],
    ['another version', JSON.stringify({ kind: 'host.hello', version: '9', frame_protocol_version: 2 })],
    [
      'too much',
      JSON.stringify({
        kind: 'host.hello',
        version: '1',
        frame_protocol_version: 1,
        name: 'x'.repeat(100_000),
      }),
    ],
  ])('that begins with %s is closed', async (_what, frame) => {
    await using api = await startTestServer({ hostBundle: idleHost });
    const socket = dial(api, await launch(api), []);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    socket.send(frame);
    expect((await closed)[0]).toBe(1002);
  });
});
