/** One TCP connection to a port in a sandbox. */
import {
  FORWARD_SUBPROTOCOL,
  ForwardWindow,
  MAX_FORWARD_MESSAGE_BYTES,
  PUBLIC_CLOSE,
  SERVER_ROUTES,
  SandboxError,
  buildBearerProtocol,
  isSandboxError,
  parseForwardControl,
  portListSchema,
} from '@omnigent/protocol';
import type { Clock, ForwardControl } from '@omnigent/protocol';
import type { Http } from './http.ts';
import { MessageSocket, SocketClosedError, toWebSocketUrl } from './web-socket.ts';
import type { WebSocketFactory } from './web-socket.ts';

export interface PortContext {
  readonly http: Http;
  readonly webSocket: WebSocketFactory;
  readonly clock: Clock;
  readonly sandboxId: string;
}

const OPEN_TIMEOUT_MS = 20_000;
const PING_MS = 20_000;
/** After so many pings without a word the connection counts as broken, whatever the system believes. */
const MAX_MISSED = 3;

/**
 * Bytes both ways, each with an end of its own. A connection that breaks is not made again: what was under way is lost, as
 * with any TCP connection.
 *
 * @example
 * await using connection = await sandbox.connect(8080);
 * await connection.write(new TextEncoder().encode('GET / HTTP/1.0\r\n\r\n'));
 * for await (const chunk of connection.chunks()) show(chunk);
 */
export class PortConnection implements AsyncDisposable {
  readonly #socket: MessageSocket;
  readonly #window = new ForwardWindow();
  readonly #arrived: Uint8Array[] = [];
  #waiters = new Set<() => void>();
  #hasEnded = false;
  #failure: SandboxError | undefined;
  #isFinished = false;
  #missed = 0;
  readonly #ended = new AbortController();

  private constructor(socket: MessageSocket, clock: Clock) {
    this.#socket = socket;
    void this.#receive();
    void this.#watch(clock);
  }

  /** @throws SandboxError `port_not_listening`, what else the server says, or `server_unreachable`. */
  static async open(context: PortContext, port: number, signal?: AbortSignal): Promise<PortConnection> {
    const { http, webSocket, clock, sandboxId } = context;
    const url = toWebSocketUrl(http.url, SERVER_ROUTES.connectPort(sandboxId, port), {});
    const timeout = AbortSignal.timeout(OPEN_TIMEOUT_MS);
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    try {
      const socket = webSocket(url, [FORWARD_SUBPROTOCOL, buildBearerProtocol(http.token)]);
      return new PortConnection(await MessageSocket.open(socket, either), clock);
    } catch (cause) {
      if (signal?.aborted === true) throw http.toConnectionError(cause, signal);
      throw await explainRefusal(context, { port, signal, cause });
    }
  }

  /** Sends bytes; resolves when there is room for more. @throws SandboxError `connection_reset` when the connection broke. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += MAX_FORWARD_MESSAGE_BYTES) {
      const part = bytes.subarray(at, at + MAX_FORWARD_MESSAGE_BYTES);
      while (!this.#window.isOpen && this.#failure === undefined && !this.#isFinished) await this.#change();
      if (this.#failure !== undefined) throw this.#failure;
      this.#window.send(part.length);
      this.#socket.send(part);
    }
  }

  /** Says that no more bytes come from here; the program may go on. */
  end(): void {
    this.#send({ type: 'eof' });
  }

  /** What the program sends, to its end. @throws SandboxError `connection_reset` when the connection broke. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#arrived.shift();
      if (chunk !== undefined) {
        yield chunk;
        const control = this.#window.handle(chunk.length);
        if (control !== undefined) this.#send(control);
      } else if (this.#failure !== undefined) throw this.#failure;
      else if (this.#hasEnded || this.#isFinished) return;
      else await this.#change();
    }
  }

  /** The same as web streams. */
  toStreams(): { readable: ReadableStream<Uint8Array>; writable: WritableStream<Uint8Array> } {
    const chunks = this.chunks();
    return {
      readable: new ReadableStream<Uint8Array>({
        pull: async (controller) => {
          const { value, done } = await chunks.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
        cancel: () => this.close(),
      }),
      writable: new WritableStream<Uint8Array>({
        write: (chunk) => this.write(chunk),
        close: () => this.end(),
        abort: () => this.close(),
      }),
    };
  }

  /** Breaks the connection off. */
  close(): void {
    this.#isFinished = true;
    this.#ended.abort();
    this.#socket.close();
    this.#wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  #send(control: ForwardControl): void {
    this.#socket.send(JSON.stringify(control));
  }

  async #receive(): Promise<void> {
    try {
      for await (const message of this.#socket.messages()) {
        this.#missed = 0;
        if (typeof message === 'string') this.#takeControl(message);
        else {
          this.#window.receive(message.length);
          this.#arrived.push(message);
        }
        this.#wake();
      }
    } catch (error) {
      this.#finish(error);
    }
  }

  async #watch(clock: Clock): Promise<void> {
    for (;;) {
      await clock.sleep(PING_MS, { signal: this.#ended.signal, unref: true }).catch(() => undefined);
      if (this.#isFinished) return;
      // Its messages end with that, as those of one that breaks.
      if (this.#missed >= MAX_MISSED) return this.#socket.close();
      this.#missed += 1;
      this.#send({ type: 'ping' });
    }
  }

  #takeControl(text: string): void {
    const control = parseForwardControl(text);
    if (control?.type === 'eof') this.#hasEnded = true;
    else if (control?.type === 'ack') this.#window.acknowledged(control.bytes);
  }

  #finish(error: unknown): void {
    const isWhole = error instanceof SocketClosedError && error.code === PUBLIC_CLOSE.normal;
    if (!isWhole && !this.#isFinished)
      this.#failure = new SandboxError('connection_reset', 'the connection to the port broke', {
        cause: error,
      });
    this.#isFinished = true;
    this.#ended.abort();
    this.#wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiters.add(resolve));
  }

  #wake(): void {
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }
}

/** A WebSocket does not tell why it was refused; what can be asked in plain HTTP may. */
async function explainRefusal(
  { http, sandboxId }: PortContext,
  {
    port,
    signal,
    cause,
  }: { readonly port: number; readonly signal: AbortSignal | undefined; readonly cause: unknown },
): Promise<SandboxError> {
  try {
    const response = await http.send({
      method: 'GET',
      path: SERVER_ROUTES.host(sandboxId, '/v1/ports'),
      signal,
    });
    const list = portListSchema.safeParse(await response.json()).data;
    if (list?.items.some((item) => item.port === port) === false)
      return new SandboxError('port_not_listening', `nothing in the sandbox listens on port ${port}`, {
        cause,
      });
  } catch (error) {
    if (isSandboxError(error)) return error;
  }
  return new SandboxError(
    'server_unreachable',
    `${http.url} answers, but opens no WebSocket to port ${port}`,
    { cause },
  );
}
