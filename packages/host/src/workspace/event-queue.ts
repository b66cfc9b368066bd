/** Events for any number of followers, each from the first event on, also when it comes late. */
export class EventQueue<Event> {
  readonly #events: Event[] = [];
  #isEnded = false;
  #changed = Promise.withResolvers<void>();

  push(event: Event): void {
    this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *follow(): AsyncGenerator<Event> {
    for (let next = 0; ; ) {
      const event = this.#events[next];
      if (event !== undefined) {
        next += 1;
        yield event;
      } else if (this.#isEnded) {
        return;
      } else {
        await this.#changed.promise;
      }
    }
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}
