/** A TCP proxy between hosts and server that cuts its connections on demand. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** How many connections it has taken so far. */
  readonly taken: number;
  /** Where connections go from now on. */
  target: number;
  /** Cuts every open connection with a reset. Returns how many. */
  cut(): number;
}

export async function startCuttingProxy(): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  const state = { target: 0, taken: 0 };
  const server = createServer((near) => {
    state.taken += 1;
    const far = connect(state.target, '127.0.0.1');
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get taken() {
      return state.taken;
    },
    get target() {
      return state.target;
    },
    set target(port) {
      state.target = port;
    },
    cut() {
      const count = open.size;
      for (const socket of open) socket.resetAndDestroy();
      return count;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
