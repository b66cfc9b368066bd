import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createFakeClock } from '@omnigent/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { keepAlive as keepCallerAlive } from '../forward/public-socket.ts';
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

const HOUR = 3_600_000;

/** Watches `near` as a host that never answers by itself. */
function watch() {
  const clock = createFakeClock();
  const answers: (() => void)[] = [];
  const ping = (onAnswer: () => void) => void answers.push(onAnswer);
  const ended = keepAlive(near, { clock, signal: new AbortController().signal, ping });
  return { clock, answers, ended };
}

describe('a host', () => {
  it('that never answers is cut after three missed pings, not before', async () => {
    const { clock, ended } = watch();
    await clock.advance(105_000);
    expect(near.readyState).toBe(WebSocket.OPEN);
    await clock.advance(15_000);
    await ended;
    expect(near.readyState).not.toBe(WebSocket.OPEN);
  });

  it('is not cut for pings that were missed before the machine slept: it is asked at once', async () => {
    const { clock, answers } = watch();
    await clock.advance(105_000);
    clock.jump(HOUR);
    const before = answers.length;
    await clock.advance(15_000);
    expect([near.readyState, answers.length]).toEqual([WebSocket.OPEN, before + 1]);
    answers.at(-1)?.();
    await clock.advance(10_000);
    expect(near.readyState).toBe(WebSocket.OPEN);
  });

  it.each([HOUR, -HOUR])('that is silent after a jump of %i ms is cut soon', async (jump) => {
    const { clock, ended } = watch();
    clock.jump(jump);
    await clock.advance(15_000);
    expect(near.readyState).toBe(WebSocket.OPEN);
    await clock.advance(10_000);
    await ended;
    expect(near.readyState).not.toBe(WebSocket.OPEN);
  });
});

describe('a caller', () => {
  it('that never answers is cut after three missed pings, not before', async () => {
    const clock = createFakeClock();
    const ended = keepCallerAlive(near, clock);
    await clock.advance(90_000);
    expect(near.readyState).toBe(WebSocket.OPEN);
    await clock.advance(30_000);
    await ended;
    expect(near.readyState).not.toBe(WebSocket.OPEN);
  });

  it('whose control frames are swallowed is not cut as long as data comes', async () => {
    const clock = createFakeClock();
    void keepCallerAlive(near, clock);
    for (let round = 0; round < 10; round += 1) {
      const received = once(near, 'message');
      far.send('data');
      await received;
      await clock.advance(30_000);
    }
    expect(near.readyState).toBe(WebSocket.OPEN);
  });
});
