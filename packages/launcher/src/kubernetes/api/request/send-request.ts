/** One request over one socket, without deadline, retry or meaning. */
import http from 'node:http';
import https from 'node:https';
import { VERSION } from '@omnigent/protocol';
import type { ClusterConnection } from '../connection/cluster-connection.ts';
import type { ClusterAnswer, ClusterRequest } from './cluster-request.ts';

function buildHeaders(request: ClusterRequest, body: string | null): Record<string, string> {
  const content =
    body === null
      ? {}
      : {
          'content-type': request.contentType ?? 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        };
  return { accept: request.accept ?? 'application/json', 'user-agent': `omnigent/${VERSION}`, ...content };
}

function resolveUrl(server: URL, path: string): URL {
  // A cluster behind a gateway has a path of its own (Rancher: /k8s/clusters/ID).
  return new URL(`${server.pathname.replace(/\/$/, '')}${path}`, server);
}

/** Sends the request; resolves with the response as soon as its head is here. The signal also cuts the body. */
export async function openResponse(
  connection: ClusterConnection,
  request: ClusterRequest,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const { headers, agent } = await connection.credentials();
  signal.throwIfAborted();
  const url = resolveUrl(connection.server, request.path);
  const body = request.body === undefined ? null : JSON.stringify(request.body);
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const send = url.protocol === 'http:' ? http.request : https.request;
  const outgoing = send(
    url,
    { method: request.method, agent, signal, headers: { ...buildHeaders(request, body), ...headers } },
    resolve,
  );
  outgoing.on('error', reject);
  outgoing.end(body ?? undefined);
  return promise;
}

/** Reads the whole answer. */
export async function readAnswer(response: http.IncomingMessage): Promise<ClusterAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(Buffer.from(chunk));
  const body = Buffer.concat(chunks).toString('utf8');
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}
