/** A started program, whatever its streams are connected to: pipes or a terminal. */
import type { Readable, Writable } from 'node:stream';
import type { LogStream, ProcessExit, TerminalSize } from '@omnigent/protocol';

/** What the kernel says of the end. */
export type ProgramEnd = Pick<ProcessExit, 'exit_code' | 'signal'>;

export interface ProgramOutput {
  readonly kind: LogStream;
  readonly stream: Readable;
}

export interface Program {
  readonly pid: number;
  readonly outputs: readonly ProgramOutput[];
  /** Its standard input; undefined when it has none. */
  readonly input: Writable | undefined;
  /** Resolves when the program has ended; its last output may still be on the way. */
  readonly ended: Promise<ProgramEnd>;
  /** Resolves when nothing more can come, which a background child that keeps the output open delays for ever. */
  readonly drained: Promise<void>;
  /** After its end, and so long without output, the program's own output is all there. */
  readonly quietMs: number;
  /** Changes the size of its terminal; undefined when it has none. */
  readonly resize: ((size: TerminalSize) => void) | undefined;
  /** Lets go of what is still open. */
  close(): void;
}

/** What is started, and how. */
export interface ProgramOptions {
  readonly argv: readonly string[];
  /** Absolute working directory. */
  readonly cwd: string;
  /** Environment, complete. */
  readonly env: Readonly<Record<string, string>>;
}
