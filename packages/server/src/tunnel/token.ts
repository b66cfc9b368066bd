/** Launch and connection tokens: 32 random bytes, of which only the SHA-256 is ever stored. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from '@omnigent/protocol';

export const TOKEN_BYTES = 32;

/** A fresh url-safe token. */
export function createToken(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(TOKEN_BYTES)).toString('base64url');
}

/** SHA-256 of a token, hex. */
export function toDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Compares two digests without telling by its time where they differ. */
export function isSameDigest(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
