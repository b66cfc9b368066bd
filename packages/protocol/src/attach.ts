/**
 * Frames of the public attach WebSocket (`omnigent.attach.v1`). Binary frames are one kind byte, an offset (8 bytes,
 * big-endian) and bytes; text frames are JSON of {@link attachControlSchema}.
 */
import * as z from 'zod';
import { SIGNAL_NAMES } from './exit-codes.ts';
import { terminalSizeSchema } from './process.ts';

export const ATTACH_FRAME = {
  /** Server to viewer: bytes of the log that start at the offset. */
  output: 1,
  /** Viewer to server: bytes of stdin that start at the offset. */
  input: 2,
} as const;
const HEADER_BYTES = 9;
/** Largest frame either side accepts; a larger one closes with 1009. */
export const MAX_ATTACH_FRAME_BYTES = 256 * 1024;

export interface AttachFrame {
  readonly kind: (typeof ATTACH_FRAME)[keyof typeof ATTACH_FRAME];
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Viewer to server. */
export const attachControlSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('resize'), ...terminalSizeSchema.shape }),
  z.strictObject({ type: z.literal('signal'), signal: z.enum(SIGNAL_NAMES) }),
  /** End of input. */
  z.strictObject({ type: z.literal('eof') }),
]);
export type AttachControl = z.infer<typeof attachControlSchema>;

/** Encodes a binary frame. */
export function encodeAttachFrame(frame: AttachFrame): Uint8Array {
  const out = new Uint8Array(HEADER_BYTES + frame.bytes.length);
  const view = new DataView(out.buffer);
  view.setUint8(0, frame.kind);
  view.setBigUint64(1, BigInt(frame.offset));
  out.set(frame.bytes, HEADER_BYTES);
  return out;
}

/** Decodes a binary frame; undefined when it is not one. */
export function decodeAttachFrame(data: Uint8Array): AttachFrame | undefined {
  if (data.length < HEADER_BYTES) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const kind = view.getUint8(0);
  if (kind !== ATTACH_FRAME.output && kind !== ATTACH_FRAME.input) return undefined;
  const offset = Number(view.getBigUint64(1));
  if (!Number.isSafeInteger(offset)) return undefined;
  return { kind, offset, bytes: data.subarray(HEADER_BYTES) };
}
