/** Deletions: the record is a tombstone until the provider confirmed; what fails is tried again, also after a restart. */
import { toErrorMessage } from '@omnigent/protocol';
import type { Journal } from './journal.ts';
import type { SandboxLock } from './sandbox-lock.ts';
import { removeSandbox } from './remove-sandbox.ts';
import type { SandboxServiceOptions } from './service-options.ts';

const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 60_000;

export interface DeletionsOptions {
  readonly service: SandboxServiceOptions;
  readonly journal: Journal;
  readonly lock: SandboxLock;
}

export class Deletions {
  readonly #options: DeletionsOptions;
  readonly #running = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(options: DeletionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Whether a deletion runs here. */
  has(id: string): boolean {
    return this.#running.has(id);
  }

  /** Starts the deletion of a record whose tombstone is set; harmless when it runs. */
  start(id: string): void {
    if (this.#running.has(id) || this.#closing.signal.aborted) return;
    const { lock, service } = this.#options;
    const deletion = lock
      .run(id, () => this.#deleteWithRetries(id))
      .catch((error: unknown) =>
        service.report('a deletion stopped; the next start goes on', { sandbox_id: id, error }),
      )
      .finally(() => this.#running.delete(id));
    this.#running.set(id, deletion);
  }

  /** Resolves when a deletion that runs has ended; at once when there is none. */
  async whenDeleted(id: string): Promise<void> {
    await this.#running.get(id);
  }

  /** Stops waiting for the next try; a deletion that is under way is finished. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([...this.#running.values()]);
  }

  async #deleteWithRetries(id: string): Promise<void> {
    const { service, journal } = this.#options;
    const { store, clock, report, launcher, connections } = service;
    for (let delayMs = RETRY_FIRST_MS; ; delayMs = Math.min(RETRY_MAX_MS, delayMs * 2)) {
      const record = await store.sandboxes.get(id);
      if (record === undefined) return;
      try {
        await removeSandbox(record, await launcher(record.provider), connections);
        await journal.announceDeleted(id);
        return await store.sandboxes.delete(id);
      } catch (error) {
        report('a sandbox could not be removed; trying again', {
          sandbox_id: id,
          delay_ms: delayMs,
          error: toErrorMessage(error),
        });
        await clock.sleep(delayMs, { signal: this.#closing.signal, unref: true });
      }
    }
  }
}
