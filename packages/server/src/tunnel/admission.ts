/** Whether a host may open its tunnel. Pure: record and token in, decision out. */
import { SandboxError } from '@omnigent/protocol';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import { isSameDigest } from './token.ts';

export interface AdmissionRequest {
  readonly hostId: string;
  readonly tokenDigest: string;
  readonly bootId: string;
  readonly now: number;
}

export type Admission = { readonly kind: 'current' | 'next' };

/**
 * Checks a host's token.
 *
 * @param record the sandbox of that host id, if there is one.
 * @throws SandboxError `unauthenticated` (unknown or expired), `sandbox_terminated`, `host_conflict` (someone else's host).
 */
export function admitHost(record: SandboxRecord | undefined, request: AdmissionRequest): Admission {
  // An unknown host and a wrong token look the same from outside.
  if (record === undefined) throw new SandboxError('unauthenticated', 'the host or its token is unknown');
  const { tokens, host } = record.document;
  const isCurrent = tokens !== null && isSameDigest(tokens.current, request.tokenDigest);
  const isNext =
    tokens?.next !== undefined && tokens?.next !== null && isSameDigest(tokens.next, request.tokenDigest);
  if (record.deletingAt !== null)
    throw new SandboxError('sandbox_terminated', 'the sandbox of this host was terminated');
  if (tokens === null || (!isCurrent && !isNext))
    throw new SandboxError('unauthenticated', 'the host or its token is unknown');
  if (tokens.expiresAt <= request.now)
    throw new SandboxError('unauthenticated', 'the token of this host has expired');
  if (host.bootId !== null && tokens.kind === 'connection' && host.bootId !== request.bootId) {
    throw new SandboxError('host_conflict', 'another run of this host is the one that is known');
  }
  return { kind: isCurrent ? 'current' : 'next' };
}
