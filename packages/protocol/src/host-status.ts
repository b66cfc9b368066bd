/** What a host says of itself; everything in it is untrusted input for the server. */
import * as z from 'zod';
import { portSchema } from './preview.ts';
import { isoOrNull } from './wire.ts';
import type { Schema } from './wire.ts';

export const HOST_CAPABILITIES = [
  'workspace',
  'processes',
  'pty',
  'attach',
  'files',
  'archive',
  'ports',
  'forward',
] as const;

export const hostStatusSchema = z.object({
  version: z.string().max(64),
  boot_id: z.string().max(64),
  capabilities: z.array(z.string().max(64)).max(64),
  started_at: isoOrNull,
  load_average: z.array(z.number()).max(3),
  memory: z.object({
    used_bytes: z.int().nullable(),
    limit_bytes: z.int().nullable(),
    oom_kills: z.int().nullable(),
  }),
  processes: z.object({ running: z.int(), total: z.int() }),
  workspace: z.string().max(4096).nullable(),
});
export type HostStatus = z.infer<typeof hostStatusSchema>;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const TOKEN_EXPECTED = 'expected 32 bytes in base64url';

/** Body of `PUT /v1/connection-token` (server to host): the token for the next connections. */
export const connectionTokenSchema = z.strictObject({
  token: z.string().regex(TOKEN, TOKEN_EXPECTED),
  expires_at: z.iso.datetime(),
});
export type ConnectionToken = z.infer<typeof connectionTokenSchema>;

/**
 * The part of {@link connectionTokenSchema} that a host uses, checked by hand: every launch waits for this call, and the first schema
 * that a process uses takes it as long as the rest of the call.
 */
export const receivedTokenSchema: Schema<Pick<ConnectionToken, 'token'>> = {
  safeParse(value) {
    const token = typeof value === 'object' && value !== null && 'token' in value ? value.token : undefined;
    return typeof token === 'string' && TOKEN.test(token)
      ? { success: true, data: { token } }
      : { success: false, error: { issues: [{ path: ['token'], message: TOKEN_EXPECTED }] } };
  },
};

export const portListSchema = z.object({
  items: z
    .array(
      z.object({
        port: portSchema,
        address: z.string().max(64),
        pid: z.int().nullable(),
        program: z.string().max(256).nullable(),
      }),
    )
    .max(4096),
});
export type PortList = z.infer<typeof portListSchema>;
