/** What the WebSockets of the public API have in common. */
import type { RawData, WebSocket } from 'ws';

const PING_MS = 30_000;
const CLOSE_GRACE_MS = 2_000;

/** A caller that is gone without a word is found out. */
export function keepAlive(socket: WebSocket): void {
  let isAlive = true;
  socket.on('pong', () => (isAlive = true));
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, PING_MS);
  timer.unref();
  socket.once('close', () => clearInterval(timer));
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
