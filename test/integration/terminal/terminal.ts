/** The real `omnigent` command in a real terminal, and a hand at its keys. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startTerminalProgram } from '@omnigent/host';
import { systemClock } from '@omnigent/protocol';
import type { TerminalSize } from '@omnigent/protocol';
import type { Installation } from '../command/omnigent.ts';
import { ROOT } from '../command/omnigent.ts';

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/omnigent.js', import.meta.url));

export interface TerminalEnd {
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly shown: string;
}

export class Terminal {
  readonly pid: number;
  readonly ended: Promise<TerminalEnd>;
  readonly #program: ReturnType<typeof startTerminalProgram>;
  #shown = '';
  #seen = 0;
  #isOver = false;
  #wake: () => void = () => undefined;

  constructor(
    argv: readonly string[],
    options: { readonly env: Record<string, string>; readonly size?: TerminalSize },
  ) {
    this.#program = startTerminalProgram({
      argv,
      cwd: ROOT,
      env: options.env,
      size: options.size ?? { columns: 80, rows: 24 },
      clock: systemClock,
      randomUuid: () => crypto.randomUUID(),
    });
    this.pid = this.#program.pid;
    const decoder = new TextDecoder();
    const [output] = this.#program.outputs;
    output?.stream.on('data', (chunk: Buffer) => {
      this.#shown += decoder.decode(chunk, { stream: true });
      this.#wake();
    });
    this.ended = this.#program.ended.then(async (end) => {
      await this.#program.drained;
      this.#program.close();
      this.#isOver = true;
      this.#wake();
      return { ...end, shown: this.#shown };
    });
  }

  /** Starts the command in a terminal. */
  static omnigent(
    installation: Installation,
    args: readonly string[],
    options: { readonly size?: TerminalSize; readonly env?: Record<string, string> } = {},
  ): Terminal {
    const env = { ...toEnvironment(installation), TERM: 'xterm-256color', ...options.env };
    return new Terminal([process.execPath, COMMAND, ...args], { ...options, env });
  }

  /** Starts a shell script in a terminal; `$omnigent` is the command. */
  static shell(installation: Installation, script: string): Terminal {
    const env = { ...toEnvironment(installation), omnigent: `${process.execPath} ${COMMAND}` };
    return new Terminal(['sh', '-c', script], { env });
  }

  /** Everything shown so far. */
  get shown(): string {
    return this.#shown;
  }

  type(text: string | Uint8Array): void {
    this.#program.input?.write(text);
  }

  resize(size: TerminalSize): void {
    this.#program.resize?.(size);
  }

  /** Resolves when the text is shown, after what was waited for before. */
  async whenShown(text: string): Promise<void> {
    for (;;) {
      const at = this.#shown.indexOf(text, this.#seen);
      if (at >= 0) {
        this.#seen = at + text.length;
        return;
      }
      if (this.#isOver)
        throw new Error(`the program ended without ${JSON.stringify(text)}: ${JSON.stringify(this.#shown)}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Signals what the shell of {@link Terminal.shell} runs at the moment. */
  async signalChild(signal: NodeJS.Signals): Promise<void> {
    const children = await readFile(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8');
    for (const pid of children.trim().split(' ')) process.kill(Number(pid), signal);
  }
}

function toEnvironment(installation: Installation): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    OMNIGENT_STATE_DIR: installation.stateDirectory,
  };
}
