/** The shared watch as something to wait on: the newest observation, and a promise for the next. */
import type { PodObservation, PodSubscribeOptions, PodWatch } from '../api/pod-watch.ts';

export class Observations implements Disposable {
  readonly #subscription: Disposable;
  #queue: PodObservation[] = [];
  #changed = Promise.withResolvers<void>();

  constructor(watch: PodWatch, options: Omit<PodSubscribeOptions, 'onObservation'>) {
    const subscription = watch.subscribe({
      ...options,
      onObservation: (observation) => {
        this.#queue.push(observation);
        this.#changed.resolve();
      },
    });
    this.#subscription = { [Symbol.dispose]: () => subscription.close() };
  }

  /** Takes what was observed since the last call. */
  take(): PodObservation[] {
    const taken = this.#queue;
    this.#queue = [];
    this.#changed = Promise.withResolvers<void>();
    return taken;
  }

  /** Resolves when there is something to take. */
  async whenChanged(): Promise<void> {
    if (this.#queue.length === 0) await this.#changed.promise;
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}
