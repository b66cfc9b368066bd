/** Sends the head of a request to the program, over a connection of its own. */
import { request as startRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { SandboxError, isSandboxError, toErrorMessage } from '@omnigent/protocol';

export interface ProgramRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  readonly headers: readonly string[];
  readonly socket: Duplex;
}

/** What a program may say before its body. */
const MAX_HEAD_BYTES = 64 * 1024;
/** A program that keeps its connection open after its answer is cut after this time. */
const LINGER_MS = 2_000;

/** Starts the request; the caller sends the body and ends it. */
export function askProgram({ method, url, headers, socket }: ProgramRequest): ClientRequest {
  // Without an agent there is one request to a connection, which is never another caller's.
  const request = startRequest({
    method,
    path: url,
    headers,
    maxHeaderSize: MAX_HEAD_BYTES,
    createConnection: () => socket,
  });
  socket.on('error', () => undefined);
  request.on('error', () => undefined);
  return request;
}

/** Resolves with the head of the answer. @throws SandboxError `connection_reset`, `host_offline`, `preview_answer`. */
export function whenAnswered(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', (error) => reject(toKnownError(error)));
    request.once('close', () => reject(new SandboxError('canceled', 'the caller has gone')));
  });
}

/** Ends the connection to a program that has answered. */
export function lingerAndClose(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

/** What ended a request before its answer, in words of ours. */
export function toKnownError(error: unknown): SandboxError {
  if (isSandboxError(error)) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = toErrorMessage(error);
  if (code.startsWith('HPE_') || code.startsWith('ERR_'))
    return new SandboxError('preview_answer', `expected an answer in HTTP, found none: ${message}`, {
      cause: error,
    });
  return new SandboxError('connection_reset', 'the program closed its connection without an answer', {
    cause: error,
  });
}
