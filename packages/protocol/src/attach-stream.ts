/**
 * Attach frames inside the tunnel: each message of the WebSocket as its length (4 bytes, big-endian), one byte that
 * tells text (0) from binary (1), and its bytes. The server passes messages through without looking into them.
 */
import { MAX_ATTACH_FRAME_BYTES } from './attach.ts';

export const ATTACH_CONTENT_TYPE = 'application/vnd.omnigent.attach';
const HEADER_BYTES = 5;

export interface AttachMessage {
  readonly isBinary: boolean;
  readonly data: Uint8Array;
}

/** A peer that does not follow the format, or sends a longer message than is allowed. */
export class AttachFormatError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AttachFormatError';
  }
}

/** Encodes a message for the tunnel. */
export function encodeAttachMessage({ isBinary, data }: AttachMessage): Uint8Array {
  const out = new Uint8Array(HEADER_BYTES + data.length);
  new DataView(out.buffer).setUint32(0, data.length);
  out[4] = isBinary ? 1 : 0;
  out.set(data, HEADER_BYTES);
  return out;
}

/** Puts messages together out of the chunks of a stream; holds at most one message and one chunk. */
export class AttachMessageReader {
  #pending: Uint8Array = new Uint8Array();

  /** The messages that a chunk completes. Throws {@link AttachFormatError}. */
  push(chunk: Uint8Array): AttachMessage[] {
    const bytes = this.#pending.length === 0 ? chunk : concat(this.#pending, chunk);
    const messages: AttachMessage[] = [];
    let at = 0;
    while (bytes.length - at >= HEADER_BYTES) {
      const { length, isBinary } = readHeader(bytes, at);
      const end = at + HEADER_BYTES + length;
      if (bytes.length < end) break;
      messages.push({ isBinary, data: bytes.subarray(at + HEADER_BYTES, end) });
      at = end;
    }
    this.#pending = bytes.slice(at);
    return messages;
  }
}

function readHeader(bytes: Uint8Array, at: number): { readonly length: number; readonly isBinary: boolean } {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, HEADER_BYTES);
  const length = view.getUint32(0);
  const kind = view.getUint8(4);
  if (length > MAX_ATTACH_FRAME_BYTES)
    throw new AttachFormatError(
      `expected at most ${MAX_ATTACH_FRAME_BYTES} bytes in a message, found ${length}`,
    );
  if (kind > 1) throw new AttachFormatError(`expected 0 or 1 as the kind of a message, found ${kind}`);
  return { length, isBinary: kind === 1 };
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const out = new Uint8Array(first.length + second.length);
  out.set(first);
  out.set(second, first.length);
  return out;
}
