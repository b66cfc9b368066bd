/**
 * Frames of the public attach WebSocket (`omnigent.attach.v1`). Binary frames are one kind byte, an offset (8 bytes,
 * big-endian) and bytes; text frames are JSON: {@link attachControlSchema} to the server, {@link attachEventSchema} from it.
 */
import * as z from 'zod';
import { SIGNAL_NAMES } from './exit-codes.ts';
import { terminalSizeSchema } from './process.ts';

export const ATTACH_FRAME = {
  /** Server to viewer: bytes of the log that start at the offset. */
  output: 1,
  /** Viewer to server: bytes of stdin that start at the offset. */
  input: 2,
  /** Server to viewer: escape sequences that bring an emptied terminal to what it shows at the offset of the log. */
  screen: 3,
} as const;
const HEADER_BYTES = 9;
/** Largest frame either side accepts; a larger one closes with 1009. */
export const MAX_ATTACH_FRAME_BYTES = 256 * 1024;
const KINDS: ReadonlySet<number> = new Set(Object.values(ATTACH_FRAME));

export type AttachFrameKind = (typeof ATTACH_FRAME)[keyof typeof ATTACH_FRAME];

export interface AttachFrame {
  readonly kind: AttachFrameKind;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Name of a viewer, chosen by itself: it keeps its place when it comes back after an interruption. */
export const viewerIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, 'expected 1 to 64 of A-Z a-z 0-9 . _ -');

/** `follow` only looks on; `drive` types when nobody else does; `take` types from now on, whoever did before. */
export const attachModeSchema = z.enum(['follow', 'drive', 'take']);
export type AttachMode = z.infer<typeof attachModeSchema>;

const sizeParameter = z.coerce.number().int().min(1).max(2000).optional();

/** Query of an attach request. */
export const attachQuerySchema = z.strictObject({
  /** Where in the log to begin. Absent: at its end, after what a terminal shows now. */
  offset: z.coerce.number().int().min(0).optional(),
  viewer: viewerIdSchema,
  mode: attachModeSchema.default('drive'),
  /** Size of the viewer's terminal; the program's follows that of its driver. */
  columns: sizeParameter,
  rows: sizeParameter,
});
export type AttachQuery = z.infer<typeof attachQuerySchema>;

/** Viewer to server. */
export const attachControlSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('resize'), ...terminalSizeSchema.shape }),
  z.strictObject({ type: z.literal('signal'), signal: z.enum(SIGNAL_NAMES) }),
  /** End of input. */
  z.strictObject({ type: z.literal('eof') }),
  /** Asks to be the driver; `force` takes the place of another. */
  z.strictObject({ type: z.literal('drive'), force: z.boolean().default(false) }),
  /** How many bytes of output and screen this viewer has dealt with since it attached: what has room goes by it. */
  z.strictObject({ type: z.literal('ack'), bytes: z.int().min(0) }),
  /** Answered by `pong`: the way to the host and back works. */
  z.strictObject({ type: z.literal('ping') }),
  /** Leaves for good: the next viewer may drive at once. */
  z.strictObject({ type: z.literal('detach') }),
]);
export type AttachControl = z.infer<typeof attachControlSchema>;
export type AttachControlInput = z.input<typeof attachControlSchema>;

/** Who types. Each change begins an epoch; input of an earlier one is never taken. */
const driverShape = {
  driver: viewerIdSchema.nullable(),
  epoch: z.int(),
  /** The offset of the next byte of input. */
  input_offset: z.int(),
};

/** Server to viewer. */
export const attachEventSchema = z.discriminatedUnion('type', [
  /** The first frame. */
  z.object({
    type: z.literal('attached'),
    ...driverShape,
    /** Where in the log output goes on. */
    offset: z.int(),
    /** Size of the program's terminal; null when it has none. */
    size: terminalSizeSchema.nullable(),
  }),
  z.object({ type: z.literal('driver'), ...driverShape }),
  z.object({ type: z.literal('size'), ...terminalSizeSchema.shape }),
  /** Input up to here has been received. */
  z.object({ type: z.literal('input'), offset: z.int(), closed: z.boolean() }),
  /** The viewer was too slow, or away for long: output from `from` to `offset` is left out, and screen frames follow. */
  z.object({ type: z.literal('resync'), from: z.int(), offset: z.int() }),
  /** A control frame or input was not taken. */
  z.object({ type: z.literal('refused'), code: z.string().max(64), message: z.string().max(4096) }),
  z.object({ type: z.literal('pong') }),
]);
export type AttachEvent = z.infer<typeof attachEventSchema>;

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
  if (!KINDS.has(kind)) return undefined;
  const offset = Number(view.getBigUint64(1));
  if (!Number.isSafeInteger(offset)) return undefined;
  return { kind: kind as AttachFrameKind, offset, bytes: data.subarray(HEADER_BYTES) };
}
