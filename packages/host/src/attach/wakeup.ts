/** Lets a loop wait until something happens, also when that happens between its look and its wait. */

export interface Waiting {
  /** Aborts when woken. */
  readonly signal: AbortSignal;
  /** Resolves when woken. */
  readonly whenWoken: Promise<void>;
}

export class Wakeup {
  readonly #closed: AbortSignal;
  #current = new AbortController();

  /** @param closed wakes for good. */
  constructor(closed: AbortSignal) {
    this.#closed = closed;
    closed.addEventListener('abort', () => this.#current.abort(), { once: true });
  }

  /** Begins to listen; look for what there is to do after this call. */
  arm(): Waiting {
    if (this.#current.signal.aborted && !this.#closed.aborted) this.#current = new AbortController();
    const { signal } = this.#current;
    const whenWoken = new Promise<void>((resolve) => {
      if (signal.aborted) return resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    return { signal, whenWoken };
  }

  wake(): void {
    this.#current.abort();
  }
}
