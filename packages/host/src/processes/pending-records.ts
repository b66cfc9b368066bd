/** Records of a log that are not on the disk yet, in order, addressed like the log itself. */

/** A record in pieces (header, bytes), so that nothing is copied. */
export type LogPieces = readonly Uint8Array[];

export class PendingRecords {
  #records: LogPieces[] = [];
  #start = 0;
  #end = 0;

  /** The offset of the first byte. */
  get start(): number {
    return this.#start;
  }

  /** The offset after the last byte. */
  get end(): number {
    return this.#end;
  }

  get byteCount(): number {
    return this.#end - this.#start;
  }

  push(record: LogPieces): void {
    this.#records.push(record);
    this.#end += measure(record);
  }

  /** All records of this moment, to be written; they stay until {@link drop}. */
  list(): LogPieces[] {
    return [...this.#records];
  }

  /** Forgets the oldest records. Returns how many bytes they had. */
  drop(count: number): number {
    const bytes = sum(this.#records.splice(0, count));
    this.#start += bytes;
    return bytes;
  }

  /** From an offset on to the end of the record with which there are `maxBytes` or more; empty at the end. */
  read(offset: number, maxBytes: number): Uint8Array {
    const parts: Uint8Array[] = [];
    let at = this.#start;
    let left = maxBytes;
    for (const record of this.#records) {
      if (left <= 0) break;
      for (const piece of record) {
        const part = piece.subarray(Math.max(0, offset - at));
        if (part.length > 0) parts.push(part);
        left -= part.length;
        at += piece.length;
      }
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }
}

function measure(record: LogPieces): number {
  return record.reduce((total, piece) => total + piece.length, 0);
}

/** Bytes of several records. */
export function sum(records: readonly LogPieces[]): number {
  return records.reduce((total, record) => total + measure(record), 0);
}
