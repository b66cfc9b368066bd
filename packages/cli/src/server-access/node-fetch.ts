/**
 * `fetch` over node:http for the SDK: Node's own takes as long to load as everything else of a short command together.
 * Redirects are answers like any other, and no redirect is ever followed with the token.
 */
import { request as requestHttp } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Fetch, FetchRequest, FetchResponse } from '@omnigent/client';
import { readChunks } from './read-chunks.ts';

function toResponse(message: IncomingMessage): FetchResponse {
  const status = message.statusCode ?? 0;
  const text = async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of readChunks(message)) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  };
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name) => message.headers[name]?.toString() ?? null },
    body: readChunks(message),
    text,
    json: async () => JSON.parse(await text()) as unknown,
  };
}

async function writeBody(request: ClientRequest, body: FetchRequest['body']): Promise<void> {
  if (body instanceof ReadableStream) {
    for await (const chunk of body) {
      if (!request.write(chunk)) await waitForRoom(request);
      if (request.destroyed) return;
    }
  }
  request.end(body instanceof ReadableStream ? undefined : body);
}

/** Resolves when more can be written, or nothing more will be. */
async function waitForRoom(request: ClientRequest): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      request.off('drain', done).off('close', done);
      resolve();
    };
    request.once('drain', done).once('close', done);
  });
}

async function open(url: URL, { method, headers, signal }: FetchRequest): Promise<ClientRequest> {
  const options = { method, headers: { ...headers }, ...(signal === undefined ? {} : { signal }) };
  if (url.protocol === 'http:') return requestHttp(url, options);
  const { request } = await import('node:https');
  return request(url, options);
}

/** Sends a request; rejects with the connection's error. */
export const nodeFetch: Fetch = async (address, fetchRequest) => {
  const { body } = fetchRequest;
  const headers =
    typeof body === 'string' || body instanceof Uint8Array
      ? { ...fetchRequest.headers, 'content-length': String(Buffer.byteLength(body)) }
      : fetchRequest.headers;
  const request = await open(new URL(address), { ...fetchRequest, headers });
  return await new Promise((resolve, reject) => {
    request.once('response', (message) => {
      // An answer before the end of the body is a refusal: the rest is not wanted.
      message.once('end', () => void (request.writableEnded || request.destroy()));
      resolve(toResponse(message));
    });
    request.once('error', reject);
    writeBody(request, body).catch((error: unknown) => {
      // Whoever reads the body must not take it for a whole one.
      request.destroy();
      reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
};
