/** Streams one public call to the host and the answer back, byte for byte, at the pace of the slower end. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { HostLink, HostResponse } from '../tunnel/host-link.ts';

/** Request headers that mean something to the host. Authorization and cookies never reach it. */
const REQUEST_HEADERS = ['content-type', 'content-length', 'range', 'accept', 'if-match', 'if-none-match'];
/** Answer headers that mean something to a caller; anything else a host says is dropped. */
const RESPONSE_HEADERS = [
  'content-type',
  'content-length',
  'content-range',
  'accept-ranges',
  'etag',
  'omnigent-log-offset',
  'omnigent-log-first-offset',
];

export interface ForwardOptions {
  readonly connection: HostLink;
  /** Path and query at the host. */
  readonly path: string;
  readonly requestId: string;
}

/**
 * Forwards a call. Resolves when the answer has been sent or the caller has gone.
 *
 * @throws SandboxError `host_offline` when the connection ended before the answer began.
 */
export async function forwardCall(
  request: IncomingMessage,
  response: ServerResponse,
  options: ForwardOptions,
): Promise<void> {
  const { connection, path, requestId } = options;
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  const hasBody =
    request.headers['content-length'] !== undefined
      ? request.headers['content-length'] !== '0'
      : request.headers['transfer-encoding'] !== undefined;
  const stream = connection.openStream({
    method: request.method ?? 'GET',
    path,
    headers: pick(request.headers, REQUEST_HEADERS),
    hasBody,
    signal: controller.signal,
  });
  // A host may answer before it has read everything; what it does not want is not an error of the call.
  if (hasBody) void pipeline(request, stream, { end: true }).catch(() => undefined);
  const answer = await connection.respond(stream, controller.signal);
  await sendAnswer(answer, response, requestId);
}

async function sendAnswer(
  { status, headers, body }: HostResponse,
  response: ServerResponse,
  requestId: string,
): Promise<void> {
  response.writeHead(status, { ...pick(headers, RESPONSE_HEADERS), 'x-request-id': requestId });
  response.flushHeaders();
  try {
    await pipeline(body, response);
  } catch {
    response.destroy();
  }
}

function pick(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}
