/** Identifiers: who makes each and what it may look like. Parsing is strict, so that an id can go into a path, a label or a file name as it is. */
import * as z from 'zod';

/** A sandbox's id, made by the server: `s` and 12 of `[0-9a-z]`; valid as a DNS label and a Kubernetes label value. */
export const sandboxIdSchema = z
  .string()
  .regex(/^s[0-9a-z]{12}$/, 'expected a sandbox id such as s0123456789ab');

const HOST_ID = /^h[0-9a-z]{12}$/;

/** A host's id, made by the server anew for every launch: `h` and 12 of `[0-9a-z]`. */
export const hostIdSchema = z.string().regex(HOST_ID, 'expected a host id such as h0123456789ab');

/** Whether a text is a host's id; for the start of a host, which has no time for the first schema of a process. */
export function isHostId(text: string): boolean {
  return HOST_ID.test(text);
}

/** A process id is chosen by the caller, so that a repeated start starts nothing twice: 1 to 64 of `[A-Za-z0-9._-]`, first a letter or digit. */
export const processIdSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'expected 1 to 64 of A-Z a-z 0-9 . _ - that start with a letter or digit',
  );

/** The id of one server installation (label `omnigent.ai/instance`): a valid label value of at most 40 characters. */
export const instanceIdSchema = z
  .string()
  .regex(
    /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/,
    'expected 1 to 40 of a-z 0-9 - that start and end with a letter or digit',
  );

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;

/**
 * Makes an id body of 12 characters (62 bits) out of random bytes.
 *
 * @param prefix `s` for sandboxes, `h` for hosts.
 * @param randomBytes returns that many random bytes; randomness is an argument so that ids can be made predictable in tests.
 */
export function buildId(prefix: 's' | 'h', randomBytes: (size: number) => Uint8Array): string {
  let body = '';
  while (body.length < ID_LENGTH) {
    for (const byte of randomBytes(ID_LENGTH)) {
      // 252 is the largest multiple of 36 in a byte; larger values would favour the first characters.
      if (byte < 252 && body.length < ID_LENGTH) body += ALPHABET[byte % 36];
    }
  }
  return prefix + body;
}
