/** Sends a log to a reader at the reader's pace: from files or memory, with a gap mark where bytes are no longer kept. */
import { buildLogGap } from '@omnigent/protocol';
import type { OutputLog } from './output-log.ts';
import { SegmentReader } from './segment-reader.ts';

const CHUNK_BYTES = 256 * 1024;

export interface FollowOptions {
  readonly offset: number;
  /** Whether to wait for what comes until the log ends. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

/** Yields the bytes of a log from an offset on. */
export async function* followOutput(log: OutputLog, options: FollowOptions): AsyncGenerator<Uint8Array> {
  const { follow, signal } = options;
  let { offset } = options;
  await using reader = new SegmentReader();
  using _joined = { [Symbol.dispose]: log.join() };
  while (!signal.aborted) {
    const bytes = await readAt(log, offset, reader);
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

/** The next bytes; empty at the end; undefined when they are no longer kept. */
async function readAt(
  log: OutputLog,
  offset: number,
  reader: SegmentReader,
): Promise<Uint8Array | undefined> {
  const place = log.locate(offset);
  if (place === undefined) return undefined;
  if (place.kind === 'memory') return log.readMemory(offset, CHUNK_BYTES);
  return await reader.read(place, CHUNK_BYTES);
}
