/** Progress on standard error: a live line on a terminal, plain lines otherwise, JSON for programs, or nothing. */
import type { Clock, SandboxEvent } from '@omnigent/protocol';

export type ProgressMode = 'live' | 'plain' | 'json' | 'quiet';

export interface ProgressOptions {
  readonly mode: ProgressMode;
  readonly write: (text: string) => void;
  readonly clock: Clock;
}

const CLEAR_LINE = '\r\u001b[2K';
const MAX_LIVE_CHARACTERS = 100;

export class Progress {
  readonly #options: ProgressOptions;
  readonly #startedAt: number;
  #isLiveShown = false;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#startedAt = options.clock.monotonicMs();
  }

  get mode(): ProgressMode {
    return this.#options.mode;
  }

  /** Shows an event of the launch. */
  showEvent(event: SandboxEvent): void {
    if (this.mode === 'json') return this.showJson(event);
    if (event.type === 'stage') this.#show(event.stage, event.message);
    if (event.type === 'progress') this.#show(event.stage, event.message);
  }

  /** One JSON object a line; only in `json` mode. */
  showJson(value: Readonly<Record<string, unknown>>): void {
    if (this.mode === 'json') this.#options.write(`${JSON.stringify(value)}\n`);
  }

  /** A line that stays, for people. */
  note(text: string): void {
    if (this.mode === 'json' || this.mode === 'quiet') return;
    this.clear();
    this.#options.write(`omnigent: ${text}\n`);
  }

  /** Replaces the live line, on a terminal only. */
  showLive(text: string): void {
    if (this.mode !== 'live') return;
    this.#isLiveShown = true;
    this.#options.write(`${CLEAR_LINE}omnigent: ${text}`.slice(0, MAX_LIVE_CHARACTERS));
  }

  /** Takes the live line away, before the program's own output. */
  clear(): void {
    if (!this.#isLiveShown) return;
    this.#isLiveShown = false;
    this.#options.write(CLEAR_LINE);
  }

  #show(stage: string, message: string | undefined): void {
    const isWarning = message?.startsWith('warning: ') === true;
    const seconds = ((this.#options.clock.monotonicMs() - this.#startedAt) / 1000).toFixed(1);
    const text = `${stage} ${seconds} s${message === undefined ? '' : `  ${message}`}`;
    if (isWarning) return this.note(message);
    if (this.mode === 'plain') this.#options.write(`omnigent: ${text}\n`);
    this.showLive(text);
  }
}

/** The mode that flags and terminal ask for. */
export function resolveProgressMode(
  flags: { readonly json?: boolean; readonly quiet?: boolean },
  isTerminal: boolean,
): ProgressMode {
  if (flags.json === true) return 'json';
  if (flags.quiet === true) return 'quiet';
  return isTerminal ? 'live' : 'plain';
}
