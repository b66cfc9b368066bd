/** Lets a loop wait until something happens, also when that happens between its look and its wait. */
export class Wakeup {
  #isWoken = false;
  #resume: (() => void) | undefined;

  /** Forgets what happened so far; look for what there is to do after this call. */
  reset(): void {
    this.#isWoken = false;
  }

  wake(): void {
    this.#isWoken = true;
    this.#resume?.();
    this.#resume = undefined;
  }

  /** Resolves when something has happened since {@link reset}. */
  async wait(): Promise<void> {
    if (this.#isWoken) return;
    await new Promise<void>((resolve) => (this.#resume = resolve));
  }
}
