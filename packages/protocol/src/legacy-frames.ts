/** JSON frames of the published Omnigent host, which offers no subprotocol. */
import * as z from 'zod';

export const LEGACY_FRAME_PROTOCOL_VERSION = 1;

/** First frame of such a host. */
export const legacyHelloSchema = z.looseObject({
  type: z.literal('host.hello'),
  version: z.string().max(64),
  frame_protocol_version: z.literal(LEGACY_FRAME_PROTOCOL_VERSION),
});

export const legacyFrameSchema = z.looseObject({ type: z.string().max(64) });
