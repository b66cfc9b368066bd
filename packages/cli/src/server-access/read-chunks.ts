/**
 * The chunks of a stream as they arrive. Iterating the stream itself joins what has come meanwhile into one new buffer, which
 * for large output is one copy of everything.
 */
import type { Readable } from 'node:stream';

/** The stream stops when this much waits for its reader. */
const HIGH_WATER_BYTES = 1024 * 1024;

/** Yields chunks; throws the stream's error. Leaving the loop destroys the stream. */
export async function* readChunks(stream: Readable): AsyncGenerator<Uint8Array> {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  const state: { ending: { readonly error?: unknown } | undefined; wake: () => void } = {
    ending: undefined,
    wake: () => undefined,
  };
  const end = (ending: { readonly error?: unknown }) => {
    state.ending ??= ending;
    state.wake();
  };
  // Cut before anybody began to read: none of its events comes again.
  if (stream.destroyed) throw stream.errored ?? new Error('the answer was cut');
  stream.on('data', (chunk: Buffer) => {
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes >= HIGH_WATER_BYTES) stream.pause();
    state.wake();
  });
  stream.once('end', () => end({}));
  stream.once('error', (error) => end({ error }));
  // A stream that is destroyed without a word ends here, or its reader would wait for ever.
  stream.once('close', () => end({ error: new Error('the answer was cut') }));
  try {
    for (;;) {
      const chunk = waiting.shift();
      if (chunk !== undefined) {
        waitingBytes -= chunk.length;
        if (waitingBytes < HIGH_WATER_BYTES && stream.isPaused()) stream.resume();
        yield chunk;
      } else if (state.ending !== undefined) {
        if ('error' in state.ending) throw state.ending.error;
        return;
      } else {
        await new Promise<void>((resolve) => (state.wake = resolve));
      }
    }
  } finally {
    stream.destroy();
  }
}
