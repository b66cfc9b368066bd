import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { TUNNEL } from '@omnigent/protocol';
import { createFakeClock } from '@omnigent/testkit';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { runTunnel } from './tunnel.ts';

it('a host that is told to stop does not wait for a server that hangs', async () => {
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    handleProtocols: () => TUNNEL.subprotocol,
  });
  await once(server, 'listening');
  const stopping = new AbortController();
  const clock = createFakeClock();
  const accepted = once(server, 'connection') as Promise<[WebSocket]>;
  const ended = runTunnel({
    serverUrl: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    hostId: 'h000000000000',
    bootId: 'boot',
    token: () => 'token',
    server: () => createServer(),
    clock,
    random: () => 0,
    report: () => undefined,
    leaving: stopping.signal,
    signal: stopping.signal,
  });
  await clock.untilSleeping(0);
  await clock.advance(0);
  const [socket] = await accepted;
  socket.pause();
  await clock.untilSleeping(TUNNEL.handshakeTimeoutMs);
  stopping.abort();
  await clock.untilSleeping(1_000);
  await clock.advance(1_000);
  await expect(ended).resolves.toBeUndefined();
  socket.terminate();
  server.close();
});
