/** What opens a WebSocket of the public API: who asks, for which sandbox, and the host's answer before the upgrade. */
import type { IncomingMessage } from 'node:http';
import type { ClientHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import { SandboxError, fromProblem } from '@omnigent/protocol';
import type { ApiContext } from '../api/context.ts';
import { checkCallable } from '../api/host-routes.ts';
import { findSandbox } from '../api/sandbox-lookup.ts';
import { authenticateUpgrade, readProtocols } from '../auth/upgrade-caller.ts';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import { readText } from '../tunnel/host-connection.ts';
import type { HostLink, HostRequest } from '../tunnel/host-link.ts';

/** A stream at the host, both ways. */
export interface HostStream {
  /** The way to the host. */
  readonly request: ClientHttp2Stream;
  /** The way from it. */
  readonly body: Readable;
  readonly close: () => void;
  /** Whether the host itself is still there. */
  readonly isConnected: () => boolean;
}

/** The caller of an upgrade. @throws SandboxError `unauthenticated`, `invalid_request` when the subprotocol is not offered. */
export function admitCaller(
  request: IncomingMessage,
  context: ApiContext,
  subprotocol: string,
): { owner: string } {
  const caller = authenticateUpgrade(request, context.authenticate);
  if (readProtocols(request).includes(subprotocol)) return caller;
  throw new SandboxError('invalid_request', `expected the subprotocol ${subprotocol} to be offered`);
}

/** The sandbox that an upgrade is about. @throws SandboxError when there is none of this owner, or it takes no calls now. */
export async function findCallable(
  context: ApiContext,
  owner: string,
  segment: string,
): Promise<SandboxRecord> {
  const record = await findSandbox(context.store.sandboxes, owner, decodeSegment(segment));
  checkCallable(record);
  return record;
}

/** Asks the host before the upgrade: what it refuses, the caller learns as a problem document. */
export async function openHostStream(
  connection: HostLink,
  request: Omit<HostRequest, 'hasBody' | 'signal'>,
  timeoutMs: number,
): Promise<HostStream> {
  const stream = connection.openStream({ ...request, hasBody: true });
  const timeout = AbortSignal.timeout(timeoutMs);
  const close = () => void stream.destroy();
  timeout.addEventListener('abort', close, { once: true });
  try {
    const { status, body } = await connection.respond(stream, timeout);
    if (status === 200) return { request: stream, body, close, isConnected: () => connection.isOpen };
    throw fromProblem(parseJson(await readText(body)), 'host_protocol');
  } finally {
    timeout.removeEventListener('abort', close);
  }
}

/** A segment of the path as it was meant. @throws SandboxError `invalid_request`. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new SandboxError('invalid_request', 'the path has a broken % escape', { cause });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
