import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { TUNNEL } from '@omnigent/protocol';
import { createFakeClock } from '@omnigent/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { keepAlive } from './liveness.ts';

let server: WebSocketServer;
let near: WebSocket;
let far: WebSocket;
beforeEach(async () => {
  // Without `autoPong` the far end is one whose control frames a proxy swallows.
  server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false });
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[WebSocket]>;
  near = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await once(near, 'open');
  [far] = await accepted;
});
afterEach(() => {
  near.terminate();
  server.close();
});

it('a connection on which nothing comes back is ended after three missed pings, not before', async () => {
  const clock = createFakeClock();
  const ended = keepAlive(near, { clock, signal: new AbortController().signal });
  await clock.advance(TUNNEL.pingIntervalMs * TUNNEL.missedPings);
  expect(near.readyState).toBe(WebSocket.OPEN);
  await clock.advance(TUNNEL.pingIntervalMs);
  await ended;
  expect(near.readyState).not.toBe(WebSocket.OPEN);
});

it('a connection whose control frames are swallowed lives as long as data comes', async () => {
  const clock = createFakeClock();
  void keepAlive(near, { clock, signal: new AbortController().signal });
  for (let round = 0; round < 10; round += 1) {
    const received = once(near, 'message');
    far.send('data');
    await received;
    await clock.advance(TUNNEL.pingIntervalMs);
  }
  expect(near.readyState).toBe(WebSocket.OPEN);
});

it.each([3_600_000, -3_600_000])('a wall clock that jumps by %i ms ends the connection', async (jump) => {
  const clock = createFakeClock();
  const ended = keepAlive(near, { clock, signal: new AbortController().signal });
  await clock.untilSleeping(TUNNEL.pingIntervalMs);
  clock.jump(jump);
  await clock.advance(TUNNEL.pingIntervalMs);
  await ended;
  expect(near.readyState).not.toBe(WebSocket.OPEN);
});
