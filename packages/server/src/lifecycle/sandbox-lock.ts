/** One operation at a time per sandbox: in this process in the order of arrival, among processes by a lease. */
import { SandboxError } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import type { Leases } from '../store/lease-store.ts';
import { KeyedLock } from './keyed-lock.ts';

/** How often a lease that another process holds is asked for. */
const RETRY_MS = 1_000;

export class SandboxLock {
  readonly #leases: Leases;
  readonly #clock: Clock;
  readonly #turns = new KeyedLock();
  readonly #held = new Set<string>();
  readonly #closing = new AbortController();

  constructor(leases: Leases, clock: Clock) {
    this.#leases = leases;
    this.#clock = clock;
  }

  /** Takes the lease of a sandbox that nobody else knows of yet; {@link run} gives it back. */
  async claim(id: string): Promise<void> {
    if (!(await this.#leases.acquire(id)))
      throw new SandboxError('internal', `sandbox ${id} is someone else's`);
    this.#held.add(id);
  }

  /** Gives back a lease that was claimed and is not needed. */
  async unclaim(id: string): Promise<void> {
    this.#held.delete(id);
    await this.#leases.release(id);
  }

  /**
   * Runs `operation` when all earlier ones of the sandbox have ended, here and in other processes.
   *
   * @throws SandboxError `shutting_down` when the lock was closed before its turn came.
   */
  async run<Result>(id: string, operation: () => Promise<Result>): Promise<Result> {
    return await this.#turns.run(id, async () => {
      await this.#waitForLease(id);
      this.#held.add(id);
      try {
        return await operation();
      } finally {
        // A lease that cannot be given back now gets no more beats, and so ends by itself.
        await this.unclaim(id).catch(() => undefined);
      }
    });
  }

  /** Keeps the leases of this process; returns which were lost, because this process stood still for too long. */
  async beat(): Promise<string[]> {
    const lost = await this.#leases.beat([...this.#held]);
    // What has ended while the database was asked is not lost.
    return lost.filter((id) => this.#held.has(id));
  }

  /** Ends all waiting for other processes. */
  close(): void {
    this.#closing.abort(new SandboxError('shutting_down', 'the server is shutting down'));
  }

  async #waitForLease(id: string): Promise<void> {
    const { signal } = this.#closing;
    while (!(await this.#leases.acquire(id))) {
      signal.throwIfAborted();
      await this.#clock.sleep(RETRY_MS, { signal, unref: true });
    }
  }
}
