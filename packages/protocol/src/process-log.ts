/**
 * The process-output log: a sequence of records (stream: 1 byte, length: 4 bytes big-endian, bytes), addressed
 * by the byte offset of the log itself. The bytes at an offset never change, so a reader may go on at any offset
 * that it has fully consumed, also in the middle of a record when it keeps its decoder.
 */
export const LOG_STREAM = {
  /** The last record of every log: JSON of the process's exit (`processExitSchema`). A log without it has not ended. */
  exit: 0,
  stdout: 1,
  stderr: 2,
  /** Output of a pseudo-terminal. */
  pty: 3,
  /** Not part of the log: sent to a reader whose offset is no longer kept; JSON `{from, first_offset}`. Reading goes on at `first_offset`. */
  gap: 4,
} as const;

export type LogStream = (typeof LOG_STREAM)[keyof typeof LOG_STREAM];

export const LOG_HEADER_BYTES = 5;
/** Writers split output into records of at most this many bytes. */
export const LOG_MAX_RECORD_BYTES = 256 * 1024;
export const LOG_CONTENT_TYPE = 'application/vnd.omnigent.process-log';
/** Response header of an output request: the log offset of the first byte of the body. */
export const LOG_OFFSET_HEADER = 'omnigent-log-offset';
/** Response header of an output request: the oldest offset that is still kept. */
export const LOG_FIRST_OFFSET_HEADER = 'omnigent-log-first-offset';

const KNOWN_STREAMS: ReadonlySet<number> = new Set(Object.values(LOG_STREAM));

/** One decoded record. `offset` is that of its header, `end` that of the byte after it; for a gap both are the offset at which reading goes on. */
export interface LogRecord {
  readonly stream: LogStream;
  readonly data: Uint8Array;
  readonly offset: number;
  readonly end: number;
}

/** Where a gap is: bytes from `from` up to `firstOffset` are gone. */
export interface LogGap {
  readonly from: number;
  readonly firstOffset: number;
}

/** A log that does not follow the format; `offset` says where. */
export class LogFormatError extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(`${message} at offset ${offset} of the process log`);
    this.name = 'LogFormatError';
    this.offset = offset;
  }
}

/** Builds the 5-byte header of a record of `length` bytes. */
export function buildLogHeader(stream: LogStream, length: number): Uint8Array {
  const header = new Uint8Array(LOG_HEADER_BYTES);
  header[0] = stream;
  new DataView(header.buffer).setUint32(1, length);
  return header;
}

/** Builds a whole record. Throws a RangeError when `data` is longer than {@link LOG_MAX_RECORD_BYTES}. */
export function buildLogRecord(stream: LogStream, data: Uint8Array): Uint8Array {
  if (data.length > LOG_MAX_RECORD_BYTES) {
    throw new RangeError(`a log record holds at most ${LOG_MAX_RECORD_BYTES} bytes, found ${data.length}`);
  }
  const record = new Uint8Array(LOG_HEADER_BYTES + data.length);
  record.set(buildLogHeader(stream, data.length));
  record.set(data, LOG_HEADER_BYTES);
  return record;
}

/** Builds the mark that tells a reader which part of the log is gone. */
export function buildLogGap(gap: LogGap): Uint8Array {
  return buildLogRecord(
    LOG_STREAM.gap,
    new TextEncoder().encode(JSON.stringify({ from: gap.from, first_offset: gap.firstOffset })),
  );
}

function parseGap(data: Uint8Array, offset: number): number {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(data));
    if (typeof value === 'object' && value !== null && 'first_offset' in value) {
      const first = value.first_offset;
      if (typeof first === 'number' && Number.isSafeInteger(first) && first >= offset) return first;
    }
  } catch (cause) {
    throw new LogFormatError(`unreadable gap record (${String(cause)})`, offset);
  }
  throw new LogFormatError('gap record without a valid first_offset', offset);
}

/**
 * Decodes a log as its chunks arrive, in whatever sizes.
 *
 * @example
 * const decoder = new LogDecoder(0);
 * for await (const chunk of body) for (const record of decoder.push(chunk)) show(record);
 * // after a cut: go on with ?offset=decoder.received
 */
export class LogDecoder {
  #received: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  /** @param offset the log offset of the first byte that will be pushed; a record must begin there. */
  constructor(offset: number) {
    this.#received = offset;
  }

  /** The offset after the last byte pushed: where to go on after a cut, with this same decoder. */
  get received(): number {
    return this.#received;
  }

  /** The offset after the last whole record: where a new decoder can go on. */
  get boundary(): number {
    return this.#received - this.#pendingBytes;
  }

  /** Takes the next bytes and returns the records that they complete. Throws {@link LogFormatError}. */
  push(chunk: Uint8Array): LogRecord[] {
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    this.#received += chunk.length;
    const records: LogRecord[] = [];
    for (let record = this.#take(); record !== undefined; record = this.#take()) records.push(record);
    return records;
  }

  #take(): LogRecord | undefined {
    if (this.#pendingBytes < LOG_HEADER_BYTES) return undefined;
    const offset = this.boundary;
    const { stream, length } = this.#header(offset);
    if (this.#pendingBytes < LOG_HEADER_BYTES + length) return undefined;
    const data = this.#read(LOG_HEADER_BYTES + length).subarray(LOG_HEADER_BYTES);
    if (stream !== LOG_STREAM.gap) return { stream, data, offset, end: this.boundary };
    // The mark itself is not part of the log: offsets go on where the log does.
    const firstOffset = parseGap(data, offset);
    this.#received = firstOffset + this.#pendingBytes;
    return { stream, data, offset: firstOffset, end: firstOffset };
  }

  #header(offset: number): { stream: LogStream; length: number } {
    const bytes = this.#peek(LOG_HEADER_BYTES);
    const stream = bytes[0];
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
    if (stream === undefined || !KNOWN_STREAMS.has(stream))
      throw new LogFormatError(`unknown stream ${stream}`, offset);
    if (length > LOG_MAX_RECORD_BYTES)
      throw new LogFormatError(`record of ${length} bytes is too long`, offset);
    return { stream: stream as LogStream, length };
  }

  #peek(size: number): Uint8Array {
    const first = this.#pending[0];
    if (first !== undefined && first.length >= size) return first;
    const joined = this.#read(size);
    this.#pending.unshift(joined);
    this.#pendingBytes += size;
    return joined;
  }

  #read(size: number): Uint8Array {
    const first = this.#pending[0];
    this.#pendingBytes -= size;
    if (first !== undefined && first.length >= size) {
      if (first.length === size) this.#pending.shift();
      else this.#pending[0] = first.subarray(size);
      return first.subarray(0, size);
    }
    const out = new Uint8Array(size);
    for (let at = 0; at < size; ) {
      const chunk = this.#pending.shift();
      if (chunk === undefined) throw new RangeError('read past the pending bytes');
      const part = chunk.subarray(0, size - at);
      out.set(part, at);
      at += part.length;
      if (part.length < chunk.length) this.#pending.unshift(chunk.subarray(part.length));
    }
    return out;
  }
}
