/** Sends a log to a reader at the reader's pace: from files or memory, with a gap mark where bytes are no longer kept. */
import { buildLogGap } from '@omnigent/protocol';
import type { OutputLog } from './output-log.ts';
import { LogReader } from './log-reader.ts';

/** What a reader that has stopped keeps in memory: a thousand of them fit into what a session may have. */
const CHUNK_BYTES = 60 * 1024;

export interface FollowOptions {
  readonly offset: number;
  /** Whether to wait for what comes until the log ends. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
  /** Most bytes read at once. */
  readonly chunkBytes?: number;
}

/** Yields the bytes of a log from an offset on. A gap comes between two records only, or at the very beginning. */
export async function* followOutput(log: OutputLog, options: FollowOptions): AsyncGenerator<Uint8Array> {
  const { follow, signal, chunkBytes = CHUNK_BYTES } = options;
  let { offset } = options;
  await using reader = new LogReader(log);
  using _joined = { [Symbol.dispose]: log.join() };
  while (!signal.aborted) {
    const bytes = await reader.read(offset, chunkBytes);
    if (bytes === undefined) {
      const { firstOffset } = log;
      yield buildLogGap({ from: offset, firstOffset });
      offset = firstOffset;
    } else if (bytes.length > 0) {
      offset += bytes.length;
      yield bytes;
    } else if (!follow || (log.isEnded && offset >= log.endOffset)) {
      return;
    } else {
      await log.whenBeyond(offset, signal);
    }
  }
}
