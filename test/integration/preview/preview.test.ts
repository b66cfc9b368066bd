/** Previews of a real sandbox through a real server: byte-exact both ways, and only for the owner. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxHandle } from '@omnigent/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Installation } from '../command/omnigent.ts';
import { startVisit, startWebServer, toHeaderMap, visit, visitTold } from './web-server.ts';
import type { WebServer } from './web-server.ts';

let omnigent: Installation;
let sandbox: SandboxHandle;
let web: WebServer;
let token = '';
/** Origin of the preview, and headers that open it. */
let origin = '';
let opened: Readonly<Record<string, string>> = {};

async function open(port: number): Promise<{ origin: string; cookie: string }> {
  const { url } = await sandbox.preview(port);
  const { headers } = await visit({ url });
  return { origin: new URL(url).origin, cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
}

beforeAll(async () => {
  omnigent = await Installation.create();
  await omnigent.run(['run', '--keep', '--name', 'preview', '--', 'true']);
  sandbox = await (await omnigent.connect()).get('preview');
  token = (await readFile(join(omnigent.stateDirectory, 'token'), 'utf8')).trim();
  web = await startWebServer(sandbox);
  const preview = await open(web.port);
  origin = preview.origin;
  opened = { cookie: preview.cookie };
});
afterAll(async () => {
  await sandbox.terminate();
  await omnigent[Symbol.asyncDispose]();
});

describe('the address of a preview', () => {
  it('has an origin of its own and opens it once, with a cookie that scripts cannot read', async () => {
    const { url, expiresAt } = await sandbox.preview(web.port);
    expect(new URL(url).hostname).toBe(`${web.port}--${sandbox.id}.localhost`);
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
    const first = await visit({ url: `${url}&a=%2F` });
    expect(first).toMatchObject({
      status: 302,
      headers: { location: '/?a=%2F', 'cache-control': 'no-store' },
    });
    expect(first.headers['set-cookie']?.[0]).toMatch(
      /^omnigent-preview=[\w-]{43}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Lax$/,
    );
    expect(await visit({ url })).toMatchObject({ status: 401 });
  });

  it('leads a browser that is already admitted on, and never to another host', async () => {
    const { url } = await sandbox.preview(web.port);
    const path = `//example.com/${new URL(url).search}`;
    for (const _ of ['the ticket', 'the cookie'])
      expect(await visit({ url, path, headers: opened })).toMatchObject({
        status: 302,
        headers: { location: '/.//example.com/' },
      });
  });

  it('opens no other port and no other sandbox', async () => {
    const ticket = new URL((await sandbox.preview(web.port)).url).search;
    const other = new URL(origin);
    other.hostname = other.hostname.replace(/^\d+/, '9');
    expect(await visit({ url: `${other.origin}/${ticket}` })).toMatchObject({ status: 401 });
    expect(await visit({ url: other.origin, headers: opened })).toMatchObject({ status: 401 });
    const { cookie = '' } = opened;
    const stranger = other.href.replace(sandbox.id, 's00000000000a');
    expect(await visit({ url: stranger, headers: { cookie } })).toMatchObject({ status: 401 });
  });

  it('is printed by the command, and nothing else', async () => {
    const { status, stdout, stderr } = await omnigent.run(['preview', 'preview', String(web.port)]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(await visit({ url: stdout.toString().trim() })).toMatchObject({ status: 302 });
    expect(await omnigent.run(['preview', 'preview', 'x'])).toMatchObject({ status: 2 });
  });
});

describe('a preview', () => {
  it.each(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])(
    'passes %s on with its path and query byte for byte',
    async (method) => {
      const path = '//a/../b%2Fc/./%7e;x?x=%2F&y=a+b&z&&=';
      const told = await visitTold({ url: origin, method, path, headers: opened });
      expect(told).toMatchObject({ method, path, size: 0 });
    },
  );

  it('passes large bodies both ways', async () => {
    const body = Buffer.alloc(10 * 1024 * 1024, 'a body of this test ');
    const sha256 = createHash('sha256').update(body).digest('hex');
    const sized = { 'content-length': String(body.length) };
    for (const framing of [sized, { 'transfer-encoding': 'chunked' }]) {
      const told = await visitTold({ url: origin, method: 'POST', headers: { ...opened, ...framing }, body });
      expect(told).toMatchObject({ sha256, size: body.length });
    }
    const { body: received } = await visit({ url: `${origin}/source`, headers: opened });
    expect(received.equals(Buffer.alloc(10 * 1024 * 1024, Buffer.from([...Array(256).keys()])))).toBe(true);
  });

  it('tells the program who it is for, and none of our credentials', async () => {
    const headers = {
      cookie: `theirs=1; ${opened['cookie'] ?? ''}; last=2`,
      'x-forwarded-host': 'evil.example',
      'x-omnigent-host-token': 'secret',
      connection: 'close, x-hop',
      'x-hop': 'hop',
    };
    const told = toHeaderMap(await visitTold({ url: origin, headers }));
    const { host } = new URL(origin);
    expect(told).toMatchObject({ host, cookie: 'theirs=1; last=2', 'x-forwarded-host': host });
    expect(told).toMatchObject({ 'x-forwarded-proto': 'http', 'x-forwarded-for': '127.0.0.1' });
    for (const name of ['x-hop', 'x-omnigent-host-token']) expect(told).not.toHaveProperty(name);
  });

  it('passes an Authorization on that is the program’s, and takes and hides one that is ours', async () => {
    const theirs = { ...opened, authorization: 'Bearer of-the-program' };
    expect(toHeaderMap(await visitTold({ url: origin, headers: theirs }))).toMatchObject({
      authorization: 'Bearer of-the-program',
    });
    const ours = toHeaderMap(await visitTold({ url: origin, headers: { authorization: `Bearer ${token}` } }));
    expect(ours).not.toHaveProperty('authorization');
  });

  it('follows no redirect and keeps headers as they are said, but for cookies of others', async () => {
    expect(await visit({ url: `${origin}/redirect`, headers: opened })).toMatchObject({
      status: 302,
      headers: { location: 'http://127.0.0.1:1/elsewhere' },
    });
    const { headers } = await visit({ url: `${origin}/cookies`, headers: opened });
    expect(headers['set-cookie']).toEqual(['mine=1; Path=/']);
    expect(headers).not.toHaveProperty('alt-svc');
    expect((await visit({ url: origin, headers: opened })).headers['x-seen']).toBe('one, two');
  });

  it('shows events as they come', async () => {
    const request = startVisit({ url: `${origin}/events`, headers: opened });
    request.end();
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      // The program says no more until it is told to, so that what has come was not held back.
      if (text === '') await visit({ url: `${origin}/release`, method: 'POST', headers: opened });
      text += chunk.toString();
    }
    expect(text).toBe('data: first\n\ndata: second\n\n');
  });

  it('tells the program when its reader has gone', async () => {
    const request = startVisit({ url: `${origin}/endless`, headers: opened });
    request.on('error', () => undefined);
    request.end();
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.destroy();
    expect((await visit({ url: `${origin}/gone`, headers: opened })).body.toString()).toBe('gone');
  });

  it('shows an answer that comes before the body was read, and goes on with the connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const body = Buffer.alloc(64 * 1024);
    const early = await visit({ url: `${origin}/early`, method: 'POST', headers: opened, body, agent });
    expect(early).toMatchObject({ status: 413, body: Buffer.from('too much') });
    expect(await visitTold({ url: `${origin}/next`, headers: opened, agent })).toMatchObject({
      path: '/next',
    });
    agent.destroy();
  });
});

describe('a WebSocket through a preview', () => {
  /** The echo of each message. */
  async function echo(socket: WebSocket, messages: readonly string[]): Promise<string[]> {
    await once(socket, 'open');
    const echoes: string[] = [];
    for (const message of messages) {
      socket.send(message);
      const [data] = (await once(socket, 'message')) as [Buffer];
      echoes.push(data.toString());
    }
    socket.close();
    await once(socket, 'close');
    return echoes;
  }

  const url = () => `ws://127.0.0.1:${new URL(origin).port}/ws`;
  const host = () => new URL(origin).host;

  it('carries messages both ways', async () => {
    const messages = ['a', 'b'.repeat(60_000), 'c'];
    const socket = new WebSocket(url(), { headers: { ...opened, host: host(), origin } });
    expect(await echo(socket, messages)).toEqual(messages);
  });

  it('is not opened for the page of another origin, nor without a cookie', async () => {
    for (const headers of [{ ...opened, origin: 'http://evil.example' }, { origin }]) {
      const socket = new WebSocket(url(), { headers: { ...headers, host: host() } });
      const [error] = (await once(socket, 'error')) as [Error];
      expect(error.message).toContain('401');
    }
  });

  it('that the program refuses is told with its answer', async () => {
    const headers = { ...opened, connection: 'Upgrade', upgrade: 'other' };
    expect(await visit({ url: `${origin}/ws`, headers })).toMatchObject({
      status: 426,
      body: Buffer.from('expected websocket'),
    });
  });
});

describe('below the path of the server', () => {
  it('a program with the token reaches the port, by id or name', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const address = sandbox.previewAddress(web.port);
    const told = await visitTold({ url: address, path: `${new URL(address).pathname}a//b?c=%2F`, headers });
    expect(told.path).toBe('/a//b?c=%2F');
    expect(toHeaderMap(told)).toMatchObject({
      host: `localhost:${web.port}`,
      'x-forwarded-prefix': `/preview/${sandbox.id}/${web.port}`,
    });
    const byName = address.replace(sandbox.id, 'preview');
    expect(await visitTold({ url: byName, headers })).toMatchObject({ path: '/' });
  });

  it('a page has no rights, and cookies open nothing', async () => {
    const url = sandbox.previewAddress(web.port);
    expect(await visit({ url, headers: opened })).toMatchObject({ status: 401 });
    const { headers } = await visit({ url: `${url}cookies`, headers: { authorization: `Bearer ${token}` } });
    expect(headers).toMatchObject({ 'content-security-policy': 'sandbox' });
    expect(headers).not.toHaveProperty('set-cookie');
    expect(headers).not.toHaveProperty('clear-site-data');
  });
});

describe('what cannot be shown', () => {
  it('is a page for a browser and a problem document for a program, with the ports that listen', async () => {
    const nothing = await open(9);
    const headers = { cookie: nothing.cookie };
    const page = await visit({ url: nothing.origin, headers: { ...headers, accept: 'text/html,*/*' } });
    expect(page).toMatchObject({ status: 502, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.body.toString()).toContain(`programs listen on ${web.port} (python3)`);
    const problem = await visit({ url: nothing.origin, headers });
    expect(JSON.parse(problem.body.toString())).toMatchObject({ code: 'port_not_listening' });
  });

  it('is a sandbox that another owner has, or nobody: 404', async () => {
    const url = origin.replace(sandbox.id, 's00000000000a');
    const headers = { authorization: `Bearer ${token}` };
    expect(await visit({ url, headers })).toMatchObject({ status: 404 });
    expect(await visit({ url })).toMatchObject({ status: 401 });
  });

  it.each([
    ['in another protocol', 'SSH-2.0-x\r\n\r\n', 'preview_answer'],
    ['with a status of none', 'HTTP/1.1 099 No\r\ncontent-length: 0\r\n\r\n', 'preview_answer'],
    ['with a head without end', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`, 'preview_answer'],
    ['with nothing', '', 'connection_reset'],
  ])('is a program that answers %s', async (_, answer, code) => {
    const script =
      'import socket, sys\ns = socket.create_server(("127.0.0.1", 0))\nprint(s.getsockname()[1], flush=True)\nc = s.accept()[0]\nc.recv(9999)\nc.sendall(sys.stdin.buffer.read())';
    const program = sandbox.prepare(['python3', '-c', script], { input: '' });
    await program.ensureStarted();
    await program.write(Buffer.from(answer), { eof: true });
    for await (const { data } of program.output()) {
      const url = sandbox.previewAddress(Number(Buffer.from(data).toString()));
      const { status, body } = await visit({ url, headers: { authorization: `Bearer ${token}` } });
      expect({ status, ...(JSON.parse(body.toString()) as object) }).toMatchObject({ status: 502, code });
      break;
    }
  });

  it('ends in mid-stream with its sandbox, and its cookie opens nothing then', async () => {
    const client = await omnigent.connect();
    await using other = await client.launch({});
    const { port } = await startWebServer(other);
    const { url } = await other.preview(port);
    const { headers } = await visit({ url });
    const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const request = startVisit({ url: `${new URL(url).origin}/endless`, headers: { cookie } });
    request.end();
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const broken = once(answer.resume(), 'error');
    await other.terminate();
    expect((await broken)[0]).toMatchObject({ code: 'ECONNRESET' });
    expect(await visit({ url: new URL(url).origin, headers: { cookie } })).toMatchObject({ status: 404 });
  });
});
