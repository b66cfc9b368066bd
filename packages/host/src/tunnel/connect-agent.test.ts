import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectAgent } from './connect-agent.ts';
import { dial } from './dial.ts';

let proxy: Server;
let url: URL;
let taken: Promise<Socket>;
beforeEach(async () => {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  taken = promise;
  proxy = createServer((socket) => resolve(socket.on('error', () => undefined)));
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  url = new URL(`http://me:p%40ss@127.0.0.1:${(proxy.address() as AddressInfo).port}`);
});
afterEach(() => proxy.close());

/** Asks for something beyond the proxy. */
async function ask(options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {}) {
  const { signal = new AbortController().signal, timeoutMs } = options;
  const agent = new ConnectAgent({
    proxy: url,
    isSecure: false,
    signal,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const asking = request('http://server.example:8080/', { agent }).end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  return await response.setEncoding('utf8').toArray();
}

describe('a way through a proxy', () => {
  it('is asked for by name and password, and loses nothing that comes with the answer', async () => {
    const asked = ask();
    const socket = await taken;
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(head.toString()).toMatch(/^CONNECT server\.example:8080 HTTP/);
    expect(head.toString()).toContain(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
    socket.end('HTTP/1.1 200 ok\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nwell');
    expect(await asked).toEqual(['well']);
  });

  it('that is refused is told with the status and without the password', async () => {
    const asked = ask();
    (await taken).end('HTTP/1.1 407 no\r\n\r\n');
    const error: unknown = await asked.catch((cause: unknown) => cause);
    expect(String(error)).toContain(`the proxy ${url.host} answered 407 to CONNECT`);
    expect(String(error)).not.toMatch(/p@ss|p%40ss/);
  });

  it('is given up when the proxy does not answer, and the proxy is left', async () => {
    const asked = ask({ timeoutMs: 50 });
    const left = once((await taken).resume(), 'close');
    await expect(asked).rejects.toThrow('did not answer in 0.05 s');
    await left;
  });

  it('is given up as soon as the dial is broken off', async () => {
    const stopping = new AbortController();
    const dialled = dial({
      serverUrl: new URL('https://server.example'),
      hostId: 'h000000000000',
      bootId: 'boot',
      token: 'token',
      createAgent: (signal) => new ConnectAgent({ proxy: url, isSecure: true, signal }),
      signal: stopping.signal,
    });
    const socket = await taken;
    await once(socket, 'data');
    const left = once(socket, 'close');
    stopping.abort();
    expect(await dialled).toEqual({ failure: { kind: 'transient', message: 'the host is stopping' } });
    await left;
  });

  it('ends when proxy and server take longer together than a dial may', async () => {
    const dialled = dial({
      serverUrl: new URL('http://server.example'),
      hostId: 'h000000000000',
      bootId: 'boot',
      token: 'token',
      createAgent: (signal) => new ConnectAgent({ proxy: url, isSecure: false, signal }),
      signal: new AbortController().signal,
      timeoutMs: 200,
    });
    const socket = await taken;
    const left = once(socket.resume(), 'close');
    socket.write('HTTP/1.1 200 ok\r\n\r\nHTTP/1.1 101 ');
    expect(await dialled).toEqual({
      failure: { kind: 'transient', message: 'there was no tunnel after 0.2 s' },
    });
    await left;
  });
});
