/** The tokens of a host while it is handed a new one. Pure. */
import type { TokenDigests } from '../store/sandbox-record.ts';

/**
 * What is stored before the new token is sent: the one that the host came with, which its memory holds, and the new one. Undefined
 * when another exchange has made the one that it came with invalid meanwhile.
 *
 * @param shown digest of the token that the host came with.
 */
export function offerToken(
  tokens: TokenDigests | null,
  shown: string,
  offered: string,
): TokenDigests | undefined {
  if (tokens === null) return undefined;
  if (tokens.next === shown) return { ...tokens, current: shown, next: offered, kind: 'connection' };
  return tokens.current === shown ? { ...tokens, next: offered } : undefined;
}
