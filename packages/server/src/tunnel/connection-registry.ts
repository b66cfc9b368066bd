/** Which hosts are connected to this process now; the newest connection of a host wins. */
import { CLOSE, SandboxError } from '@omnigent/protocol';
import type { HostLink } from './host-link.ts';

export class ConnectionRegistry {
  readonly #connections = new Map<string, HostLink>();
  readonly #waiters = new Map<string, Set<(connection: HostLink) => void>>();
  readonly #listeners = new Set<(connection: HostLink, isConnected: boolean) => void>();

  get size(): number {
    return this.#connections.size;
  }

  /** Adds a connection whose token exchange is done. */
  add(connection: HostLink): void {
    const { hostId } = connection;
    this.#connections.get(hostId)?.close(CLOSE.superseded);
    this.#connections.set(hostId, connection);
    void connection.closed.then(() => {
      // The late close of an old connection changes nothing.
      if (this.#connections.get(hostId) !== connection) return;
      this.#connections.delete(hostId);
      this.#announce(connection, false);
    });
    this.#announce(connection, true);
    for (const resolve of this.#waiters.get(hostId) ?? []) resolve(connection);
    this.#waiters.delete(hostId);
  }

  find(hostId: string): HostLink | undefined {
    const connection = this.#connections.get(hostId);
    return connection?.isOpen === true ? connection : undefined;
  }

  /** @throws SandboxError `host_offline`. */
  get(hostId: string): HostLink {
    const connection = this.find(hostId);
    if (connection === undefined)
      throw new SandboxError('host_offline', 'the host of the sandbox is not connected');
    return connection;
  }

  /** Resolves with the host's connection as soon as there is one; rejects with the signal's reason. */
  waitFor(hostId: string, signal: AbortSignal): Promise<HostLink> {
    const present = this.find(hostId);
    if (present !== undefined) return Promise.resolve(present);
    return new Promise((resolve, reject) => {
      const waiters = this.#waiters.get(hostId) ?? new Set();
      this.#waiters.set(hostId, waiters);
      const onAbort = () => {
        waiters.delete(arrive);
        reject(signal.reason);
      };
      const arrive = (connection: HostLink) => {
        signal.removeEventListener('abort', onAbort);
        resolve(connection);
      };
      if (signal.aborted) return onAbort();
      waiters.add(arrive);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Calls back whenever a host comes or goes. */
  onChange(listener: (connection: HostLink, isConnected: boolean) => void): void {
    this.#listeners.add(listener);
  }

  close(hostId: string, code: number): void {
    this.#connections.get(hostId)?.close(code);
  }

  /** Closes every connection and resolves when all are closed. */
  async closeAll(code: number): Promise<void> {
    const all = [...this.#connections.values()];
    for (const connection of all) connection.close(code);
    await Promise.all(all.map(({ closed }) => closed));
  }

  #announce(connection: HostLink, isConnected: boolean): void {
    for (const listener of this.#listeners) listener(connection, isConnected);
  }
}
