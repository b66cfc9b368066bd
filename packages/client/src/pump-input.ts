/** Feeds a program's stdin from text, bytes or a stream, and closes it at the end. */
import { isSandboxError } from '@omnigent/protocol';
import type { RunningProcess } from './running-process.ts';

export type ExecInput = string | Uint8Array | AsyncIterable<Uint8Array>;

async function* toChunks(input: ExecInput): AsyncGenerator<Uint8Array> {
  if (typeof input === 'string') yield new TextEncoder().encode(input);
  else if (input instanceof Uint8Array) yield input;
  else yield* input;
}

/** Writes until the input ends, the program stops reading, or the signal aborts (the program has ended). */
export async function pumpInput(
  process: RunningProcess,
  input: ExecInput,
  signal: AbortSignal,
): Promise<void> {
  try {
    await process.ensureStarted(signal);
    for await (const chunk of toChunks(input)) {
      if (signal.aborted || !(await process.write(chunk, { signal }))) return;
    }
    await process.write(new Uint8Array(), { eof: true, signal });
  } catch (error) {
    const isOver = signal.aborted || (isSandboxError(error) && error.code === 'process_not_found');
    if (!isOver) throw error;
  }
}
