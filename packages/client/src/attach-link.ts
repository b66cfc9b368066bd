/** One connection of an attach session: opens it, sends frames, reads frames, and finds out when it hangs. */
import {
  ATTACH_FRAME,
  ATTACH_SUBPROTOCOL,
  SERVER_ROUTES,
  SandboxError,
  attachEventSchema,
  buildBearerProtocol,
  decodeAttachFrame,
  encodeAttachFrame,
} from '@omnigent/protocol';
import type { AttachControlInput, AttachEvent, AttachFrame, Clock } from '@omnigent/protocol';
import type { Http } from './http.ts';
import type { InputFrame } from './input-queue.ts';
import { MessageSocket, SocketClosedError, toWebSocketUrl } from './web-socket.ts';
import type { WebSocketFactory } from './web-socket.ts';

export interface AttachLinkOptions {
  readonly http: Http;
  readonly webSocket: WebSocketFactory;
  readonly clock: Clock;
  readonly sandboxId: string;
  readonly processId: string;
}

/** What came: a frame of bytes, or news. */
export type AttachArrival = AttachFrame | AttachEvent;

/** Half of the least that a host has on its way to a viewer: the echo of a key is not worth an answer of its own. */
const ACK_BYTES = 4 * 1024;
const OPEN_TIMEOUT_MS = 15_000;
const PING_MS = 10_000;
/** After so long without a word the connection counts as broken, whatever the system believes. */
const SILENCE_MS = 25_000;

export class AttachLink {
  readonly #socket: MessageSocket;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  #heardMs: number;
  #handledBytes = 0;
  #toldBytes = 0;

  private constructor(socket: MessageSocket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    this.#heardMs = clock.monotonicMs();
    void this.#watch();
  }

  /** @throws SandboxError of the server, or `server_unreachable` when only the WebSocket does not come about. */
  static async open(
    options: AttachLinkOptions,
    query: Readonly<Record<string, string | number | undefined>>,
    signal: AbortSignal | undefined,
  ): Promise<AttachLink> {
    const { http, webSocket, clock, sandboxId, processId } = options;
    const url = toWebSocketUrl(http.url, SERVER_ROUTES.attach(sandboxId, processId), query);
    const timeout = AbortSignal.timeout(OPEN_TIMEOUT_MS);
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    try {
      const socket = webSocket(url, [ATTACH_SUBPROTOCOL, buildBearerProtocol(http.token)]);
      return new AttachLink(await MessageSocket.open(socket, either), clock);
    } catch (cause) {
      if (signal?.aborted === true) throw http.toConnectionError(cause, signal);
      await explainRefusal(options, signal);
      throw new SandboxError(
        'server_unreachable',
        `${http.url} answers, but opens no WebSocket; a proxy in between may not pass them on`,
        { cause },
      );
    }
  }

  control(control: AttachControlInput): void {
    this.#socket.send(JSON.stringify(control));
  }

  input({ offset, bytes }: InputFrame): void {
    this.#socket.send(encodeAttachFrame({ kind: ATTACH_FRAME.input, offset, bytes }));
  }

  /** So many more bytes of output have been dealt with. */
  acknowledge(bytes: number): void {
    this.#handledBytes += bytes;
    if (this.#handledBytes - this.#toldBytes < ACK_BYTES) return;
    this.#toldBytes = this.#handledBytes;
    this.control({ type: 'ack', bytes: this.#handledBytes });
  }

  /** What comes, until the connection ends. @throws SocketClosedError, SandboxError `server_answer`. */
  async *arrivals(): AsyncGenerator<AttachArrival> {
    for await (const message of this.#socket.messages()) {
      this.#heardMs = this.#clock.monotonicMs();
      yield parseArrival(message);
    }
  }

  close(): void {
    this.#closed.abort();
    this.#socket.close();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closed;
    try {
      for (;;) {
        await this.#clock.sleep(PING_MS, { signal, unref: true });
        if (this.#clock.monotonicMs() - this.#heardMs > SILENCE_MS) return this.close();
        this.control({ type: 'ping' });
      }
    } catch {
      // Closed.
    }
  }
}

/** A WebSocket does not tell why it was refused; the same question in plain HTTP does. */
async function explainRefusal(
  { http, sandboxId, processId }: AttachLinkOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = SERVER_ROUTES.host(sandboxId, `/v1/processes/${encodeURIComponent(processId)}`);
  const response = await http.send({ method: 'GET', path, signal });
  await response.text();
}

function parseArrival(message: string | Uint8Array): AttachArrival {
  const arrival = typeof message === 'string' ? parseEvent(message) : decodeAttachFrame(message);
  if (arrival === undefined) throw new SandboxError('server_answer', 'an attach frame is not as agreed');
  return arrival;
}

function parseEvent(text: string): AttachEvent | undefined {
  try {
    return attachEventSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Whether a closed connection may be opened again. */
export function isLost(error: unknown): boolean {
  return (
    error instanceof SocketClosedError && error.code !== 1002 && error.code !== 1008 && error.code !== 1009
  );
}
