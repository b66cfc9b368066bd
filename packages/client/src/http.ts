/** Requests to the server: authorization, problem documents to errors, lost connections to `server_unreachable`. */
import {
  SandboxError,
  fromProblem,
  isSandboxError,
  toCanceledError,
  toErrorMessage,
} from '@omnigent/protocol';
import type { Schema } from '@omnigent/protocol';

/** What is used of an answer: a `Response` has it all. */
export interface FetchResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null;
  text(): Promise<string>;
  json(): Promise<unknown>;
}

/** What is asked of `fetch`. */
export interface FetchRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | ReadableStream<Uint8Array>;
  readonly signal?: AbortSignal;
}

/** The part of `fetch` that is used; give your own for proxies, tests, or a faster start than that of Node.js. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchResponse>;

/** The platform's own `fetch`. A redirect would carry the token elsewhere, so it is an error. */
export const platformFetch: Fetch = (url, { body, ...request }) =>
  fetch(url, {
    ...request,
    redirect: 'error',
    ...(body === undefined ? {} : { body: body as NonNullable<RequestInit['body']> }),
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  });

export interface HttpOptions {
  readonly url: string;
  readonly token: string;
  readonly fetch: Fetch;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly body?: Uint8Array | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Codes of Node.js for a server certificate that does not verify. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/;

export class Http {
  readonly #options: HttpOptions;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#options.url;
  }

  get token(): string {
    return this.#options.token;
  }

  /** Sends a request. @throws SandboxError of the answer's problem, `server_unreachable`, `server_certificate`, `canceled`. */
  async send(request: HttpRequest): Promise<FetchResponse> {
    const { method, signal, json } = request;
    const body = json === undefined ? request.body : JSON.stringify(json);
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#options.token}`,
      ...request.headers,
    };
    if (json !== undefined) headers['content-type'] = 'application/json';
    let response: FetchResponse;
    try {
      response = await this.#options.fetch(this.#toUrl(request), {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      // What the caller's own body failed by.
      throw isSandboxError(error) ? error : this.toConnectionError(error, signal);
    }
    if (response.ok) return response;
    throw await this.#toError(response);
  }

  /** Sends a request and checks its JSON answer. */
  async json<Output>(request: HttpRequest, schema: Schema<Output>): Promise<Output> {
    const response = await this.send(request);
    const value: unknown = await response.json().catch((error: unknown) => {
      throw this.toConnectionError(error, request.signal);
    });
    const result = schema.safeParse(value);
    if (!result.success)
      throw new SandboxError(
        'server_answer',
        `the answer to ${request.method} ${request.path} is not as agreed`,
      );
    return result.data;
  }

  /** The error for a connection that failed or broke. */
  toConnectionError(error: unknown, signal: AbortSignal | undefined): SandboxError {
    if (signal?.aborted === true) return toCanceledError(signal, 'the call');
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const reason = toErrorMessage(cause);
    if (CERTIFICATE.test(code))
      return new SandboxError('server_certificate', `${this.#options.url}: ${reason}`, { cause: error });
    return new SandboxError('server_unreachable', `${this.#options.url}: ${reason}`, { cause: error });
  }

  #toUrl({ path, query }: HttpRequest): string {
    const url = new URL(path, this.#options.url);
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return url.href;
  }

  async #toError(response: FetchResponse): Promise<SandboxError> {
    const text = await response.text().catch(() => '');
    try {
      return fromProblem(JSON.parse(text), toFallbackCode(response.status));
    } catch {
      return new SandboxError(
        toFallbackCode(response.status),
        `${this.#options.url} answered ${response.status} without a problem document`,
      );
    }
  }
}

/** A proxy in front of the server answers in its own words; only the status tells. */
function toFallbackCode(status: number) {
  if (status === 401) return 'unauthenticated';
  if (status === 429) return 'too_many_requests';
  return status === 502 || status === 503 || status === 504 ? 'server_unreachable' : 'server_answer';
}
