/** What is used of a WebSocket, and the messages of one as an async iterable. */
import { SandboxError } from '@omnigent/protocol';

/** What is used of an event of a WebSocket. */
export interface WebSocketEvent {
  readonly data?: unknown;
  readonly code?: number;
}

/** What is used of a WebSocket: the platform's has it all, and so has that of `ws`. */
export interface WebSocketLike {
  binaryType: string;
  send(data: string | Uint8Array): void;
  close(code?: number): void;
  addEventListener(type: string, listener: (event: WebSocketEvent) => void): void;
}

/** Opens a WebSocket; give your own for proxies or roots that the platform's does not know of. */
export type WebSocketFactory = (url: string, protocols: readonly string[]) => WebSocketLike;

/** The platform's own WebSocket, of browsers and Node.js alike. */
export const platformWebSocket: WebSocketFactory = (url, protocols) => {
  const socket: WebSocketLike = new WebSocket(url, [...protocols]);
  return socket;
};

/** How a WebSocket ended: with a close code, 1006 when it broke. */
export class SocketClosedError extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`the WebSocket was closed with ${code}`);
    this.name = 'SocketClosedError';
    this.code = code;
  }
}

const BROKEN = 1006;

/** One open WebSocket. */
export class MessageSocket {
  readonly #socket: WebSocketLike;
  readonly #queue: (string | Uint8Array)[] = [];
  #closed: SocketClosedError | undefined;
  #wake: () => void = () => undefined;
  #isOpen = false;

  private constructor(socket: WebSocketLike) {
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => this.#push(data));
    socket.addEventListener('close', ({ code }) => this.#close(code ?? BROKEN));
    socket.addEventListener('error', () => this.#close(BROKEN));
  }

  /** Resolves when it is open. @throws SocketClosedError */
  static async open(socket: WebSocketLike, signal: AbortSignal): Promise<MessageSocket> {
    const opened = new MessageSocket(socket);
    const onAbort = () => opened.close();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    await new Promise<void>((resolve) => {
      opened.#wake = resolve;
      socket.addEventListener('open', () => {
        opened.#isOpen = true;
        resolve();
      });
    });
    signal.removeEventListener('abort', onAbort);
    if (!opened.#isOpen || opened.#closed !== undefined)
      throw opened.#closed ?? new SocketClosedError(BROKEN);
    return opened;
  }

  send(data: string | Uint8Array): void {
    if (this.#closed === undefined) this.#socket.send(data);
  }

  /** Closes it; its messages end. */
  close(): void {
    // One that hangs may never say that it is closed.
    this.#close(BROKEN);
    this.#socket.close();
  }

  /** Messages as they come. @throws SocketClosedError at the end. */
  async *messages(): AsyncGenerator<string | Uint8Array> {
    for (;;) {
      const next = this.#queue.shift();
      if (next !== undefined) yield next;
      else if (this.#closed !== undefined) throw this.#closed;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #push(data: unknown): void {
    if (this.#closed !== undefined) return;
    if (typeof data === 'string') this.#queue.push(data);
    else if (data instanceof ArrayBuffer) this.#queue.push(new Uint8Array(data));
    else if (data instanceof Uint8Array) this.#queue.push(data);
    this.#wake();
  }

  #close(code: number): void {
    this.#closed ??= new SocketClosedError(code);
    this.#wake();
  }
}

/** The address of a WebSocket below the server's URL. */
export function toWebSocketUrl(
  base: string,
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const url = new URL(path, base);
  if (!/^https?:$/.test(url.protocol))
    throw new SandboxError('usage', `expected an http:// or https:// URL, found ${base}`);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}
