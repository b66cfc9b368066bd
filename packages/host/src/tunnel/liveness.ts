/** Ends a connection that is dead without saying so: missed pings, or a wall clock that jumped because the machine slept. */
import { TUNNEL } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import type WebSocket from 'ws';

/** A jump of the wall clock against the monotonic one that means that the machine slept. */
const JUMP_MS = 15_000;

export interface LivenessOptions {
  readonly clock: Clock;
  /** Aborts when the connection has ended. */
  readonly signal: AbortSignal;
  readonly intervalMs?: number;
}

/** Pings until the signal aborts; terminates the socket when nothing came back for three intervals or the machine slept. */
export async function keepAlive(socket: WebSocket, options: LivenessOptions): Promise<void> {
  const { clock, signal, intervalMs = TUNNEL.pingIntervalMs } = options;
  let missed = 0;
  socket.on('pong', () => (missed = 0));
  socket.on('message', () => (missed = 0));
  let wall = clock.now();
  let monotonic = clock.monotonicMs();
  while (!signal.aborted) {
    await clock.sleep(intervalMs, { signal, unref: true }).catch(() => undefined);
    if (signal.aborted) return;
    const jump = Math.abs(clock.now() - wall - (clock.monotonicMs() - monotonic));
    wall = clock.now();
    monotonic = clock.monotonicMs();
    if (missed >= TUNNEL.missedPings || jump > JUMP_MS) return socket.terminate();
    missed += 1;
    socket.ping();
  }
}
