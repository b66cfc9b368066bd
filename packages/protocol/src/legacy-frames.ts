/**
 * JSON text frames of the published Omnigent host, which offers no subprotocol: its hello, and pings either way. Such a host launches
 * runners that dial by themselves; what it is asked for through a tunnel here it cannot do.
 */
import * as z from 'zod';

export const LEGACY_FRAME_PROTOCOL_VERSION = 1;

/** First frame of such a host. */
export const legacyHelloSchema = z.looseObject({
  kind: z.literal('host.hello'),
  version: z.string().max(64),
  frame_protocol_version: z.int(),
});
export type LegacyHello = z.infer<typeof legacyHelloSchema>;

/** Sent by either side, answered by the other with the same `ts` and the kind `pong`. */
export const legacyPingSchema = z.looseObject({ kind: z.literal('ping'), ts: z.number() });

export const legacyFrameSchema = z.looseObject({ kind: z.string().max(64) });
