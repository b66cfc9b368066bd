/** A request as the fake understands it. */
import type { IncomingMessage } from 'node:http';
import { findResource } from './resources.ts';

export type ApiVerb = 'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete';

export interface ApiRequest {
  readonly method: string;
  readonly verb: ApiVerb;
  /** `pods`, `pods/log`, `version`, `selfsubjectaccessreviews`, … */
  readonly resource: string;
  /** Empty for what has none. */
  readonly namespace: string;
  /** Empty for lists, watches and creates; a create's name is in its body. */
  readonly name: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly contentType: string;
  readonly authorization: string | null;
}

/** A request together with when it came and how it was answered. */
export interface RecordedRequest extends ApiRequest {
  /** Milliseconds since 1970, by the server's clock. */
  readonly at: number;
  /** Null until the head of the answer was sent, and for ever when it never was. */
  status: number | null;
}

const REVIEW_PATH = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

interface Place {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

function parsePlace(path: string): Place | null {
  if (path === '/version') return { resource: 'version', namespace: '', name: 'server' };
  if (path === REVIEW_PATH) return { resource: 'selfsubjectaccessreviews', namespace: '', name: '' };
  const [api, version, ...rest] = path.split('/').slice(1).map(decodeURIComponent);
  if (api !== 'api' || version !== 'v1') return null;
  const [first = '', second = '', third, fourth = '', subresource] = rest;
  if (first === 'namespaces' && third !== undefined)
    return {
      resource: subresource === undefined ? third : `${third}/${subresource}`,
      namespace: second,
      name: fourth,
    };
  return { resource: first, namespace: '', name: second };
}

function toVerb(method: string, { name }: Place, query: URLSearchParams): ApiVerb | null {
  if (method === 'POST') return 'create';
  if (method === 'PATCH') return 'patch';
  if (method === 'DELETE') return 'delete';
  if (method !== 'GET') return null;
  if (name !== '') return 'get';
  return ['1', 'true'].includes(query.get('watch') ?? '') ? 'watch' : 'list';
}

async function readBody(message: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

/** Reads a request; null when it is for nothing that the fake has. */
export async function readApiRequest(message: IncomingMessage): Promise<ApiRequest | null> {
  const body = await readBody(message);
  const { pathname: path, searchParams: query } = new URL(message.url ?? '/', 'http://fake');
  const method = message.method ?? 'GET';
  const place = parsePlace(path);
  const verb = place === null ? null : toVerb(method, place, query);
  if (place === null || verb === null) return null;
  const [base = ''] = place.resource.split('/');
  const isKnown = ['version', 'selfsubjectaccessreviews'].includes(base) || findResource(base) !== undefined;
  if (!isKnown) return null;
  return {
    method,
    verb,
    ...place,
    path,
    query,
    body,
    contentType: message.headers['content-type'] ?? '',
    authorization: message.headers.authorization ?? null,
  };
}
