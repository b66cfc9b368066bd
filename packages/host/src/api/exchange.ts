/** One request of the control plane and its answer: parsing with schemas, JSON and streams out. */
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { once } from 'node:events';
import { PROBLEM_CONTENT_TYPE, SandboxError, toProblem } from '@omnigent/protocol';
import type { Schema } from '@omnigent/protocol';

const MAX_JSON_BYTES = 8 * 1024 * 1024;

export class Exchange {
  readonly stream: ServerHttp2Stream;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly #query: URLSearchParams;
  readonly #controller = new AbortController();

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.stream = stream;
    this.headers = headers;
    this.method = String(headers[':method'] ?? '');
    const [path = '', query = ''] = String(headers[':path'] ?? '').split('?', 2);
    this.path = path;
    this.#query = new URLSearchParams(query);
    stream.once('close', () => this.#controller.abort());
    stream.on('error', () => this.#controller.abort());
  }

  /** Aborts when the control plane no longer wants the answer. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The query by its schema. */
  query<Output>(schema: Schema<Output>): Output {
    return parse(schema, Object.fromEntries(this.#query), 'the query');
  }

  /** The JSON body by its schema. */
  async body<Output>(schema: Schema<Output>): Promise<Output> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of this.stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_JSON_BYTES)
        throw new SandboxError('too_large', `expected at most ${MAX_JSON_BYTES} bytes of JSON`);
      chunks.push(chunk);
    }
    return parse(schema, parseJson(Buffer.concat(chunks).toString('utf8')), 'the body');
  }

  json(status: number, value: unknown): void {
    this.#respond(status, { 'content-type': 'application/json' });
    this.stream.end(JSON.stringify(value));
  }

  empty(status = 204): void {
    this.#respond(status, {});
    this.stream.end();
  }

  fail(error: unknown): void {
    if (this.stream.destroyed) return;
    if (this.stream.headersSent) {
      // The answer has begun: only a reset tells that it is not whole. `close` with a code would end the stream in order first.
      this.stream.destroy(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    const problem = toProblem(error);
    this.#respond(problem.status, { 'content-type': PROBLEM_CONTENT_TYPE });
    this.stream.end(JSON.stringify(problem));
  }

  /** Begins an answer whose bytes the caller writes to {@link stream}. */
  begin(status: number, headers: Readonly<Record<string, string>>): void {
    this.#respond(status, headers);
  }

  /** Sends chunks at the reader's pace. */
  async send(
    status: number,
    headers: Readonly<Record<string, string>>,
    chunks: AsyncIterable<Uint8Array | string>,
  ): Promise<void> {
    this.#respond(status, headers);
    for await (const chunk of chunks) {
      if (this.signal.aborted) return;
      if (!this.stream.write(chunk))
        await once(this.stream, 'drain', { signal: this.signal }).catch(() => undefined);
    }
    if (!this.signal.aborted) this.stream.end();
  }

  #respond(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.stream.destroyed || this.stream.headersSent) return;
    this.stream.respond({ ':status': status, ...headers });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SandboxError('invalid_request', 'the body is not JSON', { cause });
  }
}

function parse<Output>(schema: Schema<Output>, value: unknown, what: string): Output {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const place =
    issue === undefined || issue.path.length === 0 ? what : `${what}, field ${issue.path.join('.')}`;
  throw new SandboxError('invalid_request', `${place}: ${issue?.message ?? 'not valid'}`);
}
