/** One live connection of a host: the client side of HTTP/2 inside the WebSocket. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { PassThrough } from 'node:stream';
import type { Duplex, Readable } from 'node:stream';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { SandboxError, TUNNEL_HTTP2, fromProblem, toErrorMessage } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import { createWebSocketStream } from 'ws';
import type { WebSocket } from 'ws';
import type * as z from 'zod';
import type { HostLink, HostRequest, HostResponse } from './host-link.ts';
import { keepAlive } from './liveness.ts';
import { writeTogether } from './write-together.ts';

export interface HostConnectionOptions {
  readonly hostId: string;
  readonly bootId: string;
  readonly version: string | null;
  readonly socket: WebSocket;
  /** The socket under the WebSocket. */
  readonly transport: Duplex;
  readonly clock: Clock;
}

const BODY_BUFFER_BYTES = 256 * 1024;
const MAX_JSON_BYTES = 16 * 1024 * 1024;

export class HostConnection implements HostLink {
  readonly id = randomUUID();
  readonly hostId: string;
  readonly bootId: string;
  readonly version: string | null;
  readonly #socket: WebSocket;
  readonly #session: ClientHttp2Session;
  readonly #closed = Promise.withResolvers<void>();

  constructor(options: HostConnectionOptions) {
    this.hostId = options.hostId;
    this.bootId = options.bootId;
    this.version = options.version;
    this.#socket = options.socket;
    const duplex = createWebSocketStream(options.socket, {
      readableHighWaterMark: 1024 * 1024,
      writableHighWaterMark: 1024 * 1024,
    });
    writeTogether(duplex, options.transport);
    duplex.on('error', () => this.#socket.terminate());
    this.#session = connect('http://host.invalid', {
      createConnection: () => duplex,
      maxSessionMemory: TUNNEL_HTTP2.maxSessionMemoryMiB,
      maxHeaderListPairs: 64,
      settings: {
        enablePush: false,
        initialWindowSize: TUNNEL_HTTP2.initialWindowSize,
        maxFrameSize: TUNNEL_HTTP2.maxFrameSize,
        maxHeaderListSize: 64 * 1024,
      },
    });
    this.#session.setMaxListeners(0);
    this.#session.on('connect', () => this.#session.setLocalWindowSize(TUNNEL_HTTP2.connectionWindowSize));
    this.#session.on('error', () => this.#socket.terminate());
    this.#session.on('close', () => this.#socket.terminate());
    this.#socket.once('close', () => {
      // The session ends with its stream. Destroying it by hand while a write is under way breaks an assertion of Node.js.
      duplex.destroy();
      this.#closed.resolve();
    });
    this.#keepAlive(options.clock);
  }

  /** Resolves when the connection has ended. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get isOpen(): boolean {
    // A host that said goodbye answers what it was asked before, and nothing more.
    return this.#socket.readyState === this.#socket.OPEN && !this.#session.closed;
  }

  /** Resolves when the host has spoken HTTP/2. */
  async whenReady(signal: AbortSignal): Promise<void> {
    if (!this.#session.connecting && this.#session.remoteSettings !== undefined) return;
    await Promise.race([
      once(this.#session, 'remoteSettings', { signal }),
      this.closed.then(() => Promise.reject(this.#offlineError())),
    ]);
  }

  /**
   * Sends a request and resolves with the head of its answer.
   *
   * @throws SandboxError `host_offline` when the connection ends before the answer begins, `canceled`.
   */
  async open(request: HostRequest): Promise<HostResponse> {
    const stream = this.openStream(request);
    return await this.respond(stream, request.signal);
  }

  /** Starts a request; the caller writes its body. */
  openStream(request: HostRequest): ClientHttp2Stream {
    if (!this.isOpen) throw this.#offlineError();
    const { method, path, headers = {}, signal, hasBody = false } = request;
    const stream = this.#session.request(
      { ':method': method, ':path': path, ...headers },
      { endStream: !hasBody, ...(signal === undefined ? {} : { signal }) },
    );
    stream.on('error', () => undefined);
    return stream;
  }

  /** Resolves with the head of a stream's answer. */
  respond(stream: ClientHttp2Stream, signal?: AbortSignal): Promise<HostResponse> {
    return new Promise((resolve, reject) => {
      const fail = (error?: Error) => {
        const isCanceled = signal?.aborted === true;
        reject(
          isCanceled
            ? new SandboxError('canceled', 'the call was cancelled', { cause: error })
            : this.#offlineError(error),
        );
      };
      stream.once('response', (headers) => {
        stream.off('close', fail);
        resolve({ status: Number(headers[':status']), headers, body: this.#readBody(stream) });
      });
      stream.once('error', fail);
      stream.once('close', fail);
    });
  }

  /** A JSON call whose answer is checked by a schema; everything a host says is untrusted. */
  async call<Schema extends z.ZodType>(
    request: Omit<HostRequest, 'hasBody'> & { readonly body?: unknown },
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const hasBody = request.body !== undefined;
    const stream = this.openStream({
      ...request,
      hasBody,
      headers: hasBody ? { 'content-type': 'application/json' } : {},
    });
    if (hasBody) stream.end(JSON.stringify(request.body));
    const { status, body } = await this.respond(stream, request.signal);
    const text = await readText(body);
    const value: unknown = status === 204 ? null : parseJson(text);
    if (status >= 400) throw fromProblem(value, 'host_protocol');
    const result = schema.safeParse(value);
    if (!result.success)
      throw new SandboxError(
        'host_protocol',
        `the host's answer to ${request.method} ${request.path} is not as agreed`,
      );
    return result.data;
  }

  /**
   * Begins to read at once: a stream whose peer has finished before anyone reads counts as closed too early for
   * Node's own end-of-stream check, and a short answer would be lost.
   */
  #readBody(stream: ClientHttp2Stream): Readable {
    const body = new PassThrough({ highWaterMark: BODY_BUFFER_BYTES });
    stream.pipe(body);
    stream.once('close', () => {
      if (!stream.readableEnded || stream.rstCode !== constants.NGHTTP2_NO_ERROR)
        body.destroy(this.#offlineError());
    });
    body.once('close', () => {
      if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL);
    });
    body.on('error', () => undefined);
    return body;
  }

  close(code: number): void {
    this.#socket.close(code);
    // A host that does not answer the close is cut.
    setTimeout(() => this.#socket.terminate(), 2_000).unref();
  }

  #keepAlive(clock: Clock): void {
    const ended = new AbortController();
    void this.closed.then(() => ended.abort());
    const ping = (onAnswer: () => void) => {
      if (!this.#session.destroyed) this.#session.ping(onAnswer);
    };
    void keepAlive(this.#socket, { clock, signal: ended.signal, ping });
  }

  #offlineError(cause?: unknown): SandboxError {
    const reason = cause === undefined ? '' : `: ${toErrorMessage(cause)}`;
    return new SandboxError('host_offline', `the connection to the host ended${reason}`, { cause });
  }
}

/** Reads a small answer as text. @throws SandboxError `host_protocol` when it is too long. */
export async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_JSON_BYTES) {
      body.destroy();
      throw new SandboxError('host_protocol', `the host's answer is longer than ${MAX_JSON_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SandboxError('host_protocol', "the host's answer is not JSON", { cause });
  }
}
