/**
 * Finds out a host that is gone without a word. What was missed while this machine slept says nothing of the host: it is asked
 * at once, and has a short time to answer.
 */
import { TUNNEL } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import type { WebSocket } from 'ws';

export interface LivenessOptions {
  readonly clock: Clock;
  /** Aborts when the connection has ended. */
  readonly signal: AbortSignal;
  /** HTTP/2's PING; calls back when it is answered. */
  readonly ping: (onAnswer: () => void) => void;
}

/** HTTP/2 PING in ordinary data frames: keeps proxies awake that do not count a WebSocket's control frames. */
const KEEPALIVE_MS = 15_000;
/** A step of the wall clock against the monotonic one, or of both against the timers, that means a sleep. */
const JUMP_MS = 15_000;
const ANSWER_MS = 10_000;

/** Pings until the signal aborts; terminates the socket when nothing came back for three intervals, or after a sleep. */
export async function keepAlive(socket: WebSocket, options: LivenessOptions): Promise<void> {
  const { signal, ping } = options;
  let missed = 0;
  const hear = () => (missed = 0);
  socket.on('pong', hear);
  socket.on('message', hear);
  const ask = () => {
    missed += 1;
    ping(hear);
    socket.ping();
  };
  for (let tick = 1; !signal.aborted; tick += 1) {
    const hasSlept = await sleep(options, KEEPALIVE_MS);
    if (signal.aborted) return;
    if (hasSlept) {
      missed = 0;
      ask();
      await sleep(options, ANSWER_MS);
      if (!signal.aborted && missed > 0) return socket.terminate();
    } else if ((tick * KEEPALIVE_MS) % TUNNEL.pingIntervalMs !== 0) ping(hear);
    else if (missed >= TUNNEL.missedPings) return socket.terminate();
    else ask();
  }
}

/** Waits. Returns whether the machine, or this process, slept meanwhile. */
async function sleep({ clock, signal }: LivenessOptions, delayMs: number): Promise<boolean> {
  const wall = clock.now();
  const monotonic = clock.monotonicMs();
  await clock.sleep(delayMs, { signal, unref: true }).catch(() => undefined);
  const passed = clock.monotonicMs() - monotonic;
  return Math.abs(clock.now() - wall - passed) > JUMP_MS || passed - delayMs > JUMP_MS;
}
