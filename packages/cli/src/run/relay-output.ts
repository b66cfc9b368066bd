/** Writes a program's output to this command's own streams, at the pace of whoever reads them. */
import { once } from 'node:events';
import { LOG_STREAM } from '@omnigent/protocol';
import type { RunningProcess } from '@omnigent/client';

/** Standard output was closed by its reader, as `| head -1` does. */
export class OutputClosedError extends Error {
  constructor() {
    super('standard output was closed by its reader');
    this.name = 'OutputClosedError';
  }
}

export interface RelayOptions {
  readonly offset?: number;
  readonly signal?: AbortSignal;
  /** Ends here, although the program may go on. */
  readonly endOffset?: number;
  /** Told before the first byte, so that a live line can go. */
  readonly onFirstOutput: () => void;
  readonly onTruncated: () => void;
}

/** Resolves when the exit record has been read and everything before it was written. */
export async function relayOutput(process_: RunningProcess, options: RelayOptions): Promise<void> {
  let isFirst = true;
  const end = options.endOffset ?? Number.POSITIVE_INFINITY;
  if ((options.offset ?? 0) >= end) return;
  for await (const record of process_.output({ offset: options.offset ?? 0, signal: options.signal })) {
    if (record.stream === LOG_STREAM.gap) options.onTruncated();
    if (record.stream === LOG_STREAM.exit || record.stream === LOG_STREAM.gap) continue;
    if (isFirst) options.onFirstOutput();
    isFirst = false;
    await writeAtPace(record.stream === LOG_STREAM.stderr ? process.stderr : process.stdout, record.data);
    if (record.end >= end) return;
  }
}

/** Resolves when the stream has room for more. @throws OutputClosedError */
export async function writeAtPace(stream: NodeJS.WriteStream, bytes: Uint8Array): Promise<void> {
  if (stream.destroyed || stream.errored !== null) throw new OutputClosedError();
  if (stream.write(bytes)) return;
  try {
    await once(stream, 'drain');
  } catch {
    throw new OutputClosedError();
  }
}
