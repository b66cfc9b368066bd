/** Whether a host may open its tunnel. Pure: record and token in, decision out. */
import { SandboxError } from '@omnigent/protocol';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import { isSameDigest } from './token.ts';

export interface AdmissionRequest {
  readonly hostId: string;
  readonly tokenDigest: string;
  readonly bootId: string;
  readonly now: number;
  /** The sandbox that the token belongs to, if any. */
  readonly owner: SandboxRecord | undefined;
}

/**
 * Checks a host's token.
 *
 * @param record the sandbox of that host id, if there is one.
 * @returns that sandbox.
 * @throws SandboxError `unauthenticated` (unknown or expired), `permission_denied` (the token of another host),
 * `sandbox_terminated`, `host_conflict` (another run of the host is known).
 */
export function admitHost(record: SandboxRecord | undefined, request: AdmissionRequest): SandboxRecord {
  const { owner } = request;
  if (owner !== undefined && owner.hostId !== request.hostId)
    throw new SandboxError('permission_denied', 'the token is that of another host');
  // An unknown host and an unknown token look the same from outside.
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
  return record;
}
