/** What the WebSockets of the public API have in common. */
import { systemClock } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import type { RawData, WebSocket } from 'ws';

const PING_MS = 30_000;
const MAX_MISSED = 3;
const CLOSE_GRACE_MS = 2_000;

/**
 * A caller that is gone without a word is found out. Whatever comes is a sign of life: a proxy may pass on data and swallow
 * control frames.
 */
export async function keepAlive(socket: WebSocket, clock: Clock = systemClock): Promise<void> {
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  let missed = 0;
  const hear = () => (missed = 0);
  socket.on('pong', hear);
  socket.on('message', hear);
  for (;;) {
    await clock.sleep(PING_MS, { signal: closed.signal, unref: true }).catch(() => undefined);
    if (closed.signal.aborted) return;
    if (missed >= MAX_MISSED) return socket.terminate();
    missed += 1;
    socket.ping();
  }
}

/** After an error, ws is about to tell the caller its code: only one that does not hear it is cut. */
export function endOnError(socket: WebSocket): void {
  socket.on('error', () => setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref());
}

/** Closes with a code; one that does not answer the close is cut. */
export function closeSocket(socket: WebSocket, code: number): void {
  socket.close(code);
  setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref();
}

/** The bytes of a message. */
export function toBytes(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
