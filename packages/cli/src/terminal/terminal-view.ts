/** Shows an attached program on the command's own terminal. */
import { LOG_STREAM } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import type { AttachUpdate } from '@omnigent/client';
import { writeAtPace } from '../run/relay-output.ts';
import { ModeTracker } from './mode-tracker.ts';
import { readTerminalSize } from './terminal-size.ts';

const NOTICE_MS = 2_000;

export interface TerminalViewOptions {
  readonly clock: Clock;
  readonly note: (text: string) => void;
}

export class TerminalView {
  readonly #options: TerminalViewOptions;
  readonly #modes = new ModeTracker();
  #lost: AbortController | undefined;
  #hasScreen = false;
  #wasDriver: boolean | undefined;

  constructor(options: TerminalViewOptions) {
    this.#options = options;
  }

  /** Shows an update; resolves when the terminal has taken it. */
  async show(update: AttachUpdate): Promise<void> {
    if (update.type === 'output') {
      if (update.stream === LOG_STREAM.stderr) return await writeAtPace(process.stderr, update.data);
      this.#modes.push(update.data);
      await writeAtPace(process.stdout, update.data);
    } else if (update.type === 'screen') {
      await this.#showScreen(update);
    } else if (update.type === 'interrupted') {
      this.#noteLater();
    } else if (update.type === 'attached') {
      this.#lost?.abort();
      this.#lost = undefined;
    } else if (update.type === 'driver') {
      this.#noteDriver(update);
    } else if (update.type === 'refused' && update.code !== 'not_driver') {
      this.#note(update.message);
    }
  }

  /** Gives the terminal back as a program should have left it. */
  async close(): Promise<void> {
    this.#lost?.abort();
    const reset = this.#modes.renderReset();
    if (reset !== '') await writeAtPace(process.stdout, Buffer.from(reset)).catch(() => undefined);
  }

  /** A line for people, where it spoils nothing that a program draws. */
  #note(text: string): void {
    if (this.#modes.isAlternate) return;
    // In raw mode a new line stays in its column.
    if (process.stderr.isTTY) process.stderr.write('\r\n');
    this.#options.note(process.stderr.isTTY ? `${text}\r` : text);
  }

  /** A short interruption is not worth a word. */
  #noteLater(): void {
    if (this.#lost !== undefined) return;
    this.#lost = new AbortController();
    const { signal } = this.#lost;
    const { clock } = this.#options;
    void clock.sleep(NOTICE_MS, { signal, unref: true }).then(
      () => this.#note('the connection is lost; it is taken up again as soon as that is possible'),
      () => undefined,
    );
  }

  async #showScreen({
    data,
    isFirst,
  }: {
    readonly data: Uint8Array;
    readonly isFirst: boolean;
  }): Promise<void> {
    if (isFirst && !this.#hasScreen && process.stdout.isTTY) {
      // What stood on the terminal goes up and can be scrolled back to, instead of being drawn over.
      await writeAtPace(process.stdout, Buffer.from('\r\n'.repeat(readTerminalSize(process.stdout).rows)));
    }
    this.#hasScreen = true;
    this.#modes.push(data);
    await writeAtPace(process.stdout, data);
  }

  #noteDriver({ driver, isDriver }: { readonly driver: string | null; readonly isDriver: boolean }): void {
    if (this.#wasDriver === true && !isDriver && driver !== null) this.#note('another viewer types now');
    this.#wasDriver = isDriver;
  }
}
