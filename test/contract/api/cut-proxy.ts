/** A TCP proxy in front of the API server that cuts or stalls what runs through it. */
import net from 'node:net';
import type { AddressInfo } from 'node:net';

export interface CutProxy {
  readonly port: number;
  /** Connections that were accepted so far. */
  readonly accepted: number;
  /** Resets every connection. */
  cut(): void;
  /** Forwards nothing more on the connections that are open now, and leaves them open; new ones work. */
  stall(): void;
  close(): Promise<void>;
}

interface Pair {
  readonly near: net.Socket;
  readonly far: net.Socket;
}

/** Starts in front of an address of this machine. */
export async function startCutProxy(target: {
  readonly host: string;
  readonly port: number;
}): Promise<CutProxy> {
  const pairs = new Set<Pair>();
  let accepted = 0;
  const server = net.createServer((near) => {
    accepted += 1;
    const far = net.connect(target);
    const pair = { near, far };
    pairs.add(pair);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(pair);
        near.destroy();
        far.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get accepted() {
      return accepted;
    },
    cut() {
      for (const { near } of pairs) near.resetAndDestroy();
    },
    stall() {
      for (const { near, far } of pairs) {
        near.unpipe(far);
        far.unpipe(near);
      }
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const { near } of pairs) near.destroy();
      await closed;
    },
  };
}
