/** Plain HTTP calls of the fake, as any client makes them. */
import type { FakeApiServer } from '../create-fake-api-server.ts';

export const PODS = '/api/v1/namespaces/omnigent-sandboxes/pods';
export const SECRETS = '/api/v1/namespaces/omnigent-sandboxes/secrets';

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly token?: string;
}

export interface ApiCallAnswer {
  readonly status: number;
  /** Parsed where it is JSON, else the text. */
  readonly body: unknown;
  readonly headers: Headers;
}

/** Sends one call and reads its whole answer. */
export async function callApi(api: FakeApiServer, call: ApiCall): Promise<ApiCallAnswer> {
  const { method = 'GET', path, body, contentType = 'application/json', token } = call;
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': contentType }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** A Pod's manifest. */
export function buildPod(name: string, labels: Readonly<Record<string, string>> = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: { containers: [{ name: 'host' }] },
  };
}

export async function createPods(api: FakeApiServer, ...names: readonly string[]): Promise<void> {
  for (const name of names)
    await callApi(api, { method: 'POST', path: PODS, body: buildPod(name, { app: name }) });
}

export interface WatchReader {
  /** Lines so far. */
  readonly events: { readonly type: string; readonly object: Readonly<Record<string, unknown>> }[];
  /** Resolves when the stream has ended: true normally, false by a reset. */
  readonly ended: Promise<boolean>;
  close(): void;
}

/** Opens a watch and reads it in the background. */
export async function openWatch(api: FakeApiServer, query: string): Promise<WatchReader> {
  const closing = new AbortController();
  const response = await fetch(`${api.url}${PODS}?watch=1&${query}`, { signal: closing.signal });
  const events: WatchReader['events'] = [];
  const read = async () => {
    let rest = '';
    for await (const chunk of response.body ?? []) {
      const lines = (rest + Buffer.from(chunk).toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) events.push(JSON.parse(line));
    }
    return true;
  };
  return { events, ended: read().catch(() => false), close: () => closing.abort() };
}
