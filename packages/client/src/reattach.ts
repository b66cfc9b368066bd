/** Goes on after interruptions: which errors are worth another try, and how long to wait before it. */
import { ERRORS, isSandboxError } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';

export interface ReattachOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Gives up when nothing succeeded for this long. */
  readonly budgetMs: number;
  readonly signal?: AbortSignal | undefined;
}

const FIRST_MS = 100;
const MAX_MS = 5_000;

/** Whether the same call can succeed later: the connection broke, the server or the host is away for a moment. */
export function isInterruption(error: unknown): boolean {
  return (
    isSandboxError(error) &&
    ERRORS[error.code].retryable &&
    error.code !== 'sandbox_not_ready' &&
    error.code !== 'timeout'
  );
}

/** Counts failures since the last success and waits between tries. */
export class Reattacher {
  readonly #options: ReattachOptions;
  #failures = 0;
  #failingSince: number | undefined;

  constructor(options: ReattachOptions) {
    this.#options = options;
  }

  succeed(): void {
    this.#failures = 0;
    this.#failingSince = undefined;
  }

  /** Waits before the next try; rethrows the error when it is final or the budget is used up. */
  async waitAfter(error: unknown): Promise<void> {
    const { clock, random, budgetMs, signal } = this.#options;
    if (!isInterruption(error)) throw error;
    this.#failingSince ??= clock.monotonicMs();
    if (clock.monotonicMs() - this.#failingSince >= budgetMs) throw error;
    const delayMs = random() * Math.min(MAX_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    await clock.sleep(delayMs, signal === undefined ? {} : { signal });
  }
}
