/**
 * The writes of a tunnel's stream as one write of its socket. HTTP/2 hands over the header of a frame and its payload apart; a
 * WebSocket stream writes one after the other and waits for the socket each time.
 */
import type { Duplex } from 'node:stream';

/**
 * Changes how a WebSocket's stream writes.
 *
 * @param duplex the stream of `createWebSocketStream`.
 * @param socket the socket under the WebSocket.
 */
export function writeTogether(duplex: Duplex, socket: Duplex): void {
  duplex._writev = (chunks, callback) => {
    let left = chunks.length;
    let failure: Error | null | undefined;
    socket.cork();
    for (const { chunk, encoding } of chunks) {
      duplex._write(chunk, encoding, (error) => {
        failure ??= error;
        left -= 1;
        if (left === 0) callback(failure);
      });
    }
    process.nextTick(() => socket.uncork());
  };
}
