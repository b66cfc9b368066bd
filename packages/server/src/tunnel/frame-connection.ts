/** A published Omnigent host, which speaks JSON frames: it is there, and that is all that can be said through its connection. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  LEGACY_FRAME_PROTOCOL_VERSION,
  SandboxError,
  TUNNEL,
  legacyFrameSchema,
  legacyHelloSchema,
  legacyPingSchema,
} from '@omnigent/protocol';
import type { Clock, LegacyHello } from '@omnigent/protocol';
import type { WebSocket } from 'ws';
import type { HostLink } from './host-link.ts';

/** Largest frame that is looked at. */
const MAX_FRAME_BYTES = 64 * 1024;

/**
 * Waits for the first frame of a host that offered no subprotocol.
 *
 * @throws SandboxError `host_protocol` when it is no hello of a version that is known, or none came in time.
 */
export async function receiveHello(socket: WebSocket, signal: AbortSignal): Promise<LegacyHello> {
  const ended = once(socket, 'close', { signal }).then(() => undefined);
  const first = await Promise.race([once(socket, 'message', { signal }), ended]);
  if (first === undefined) throw new SandboxError('host_protocol', 'the host closed before its hello');
  const hello = legacyHelloSchema.safeParse(parseFrame(first[0]));
  if (!hello.success)
    throw new SandboxError('host_protocol', 'expected the first frame to be a host.hello, found another');
  const { frame_protocol_version: version } = hello.data;
  if (version !== LEGACY_FRAME_PROTOCOL_VERSION)
    throw new SandboxError(
      'host_protocol',
      `expected frame_protocol_version ${LEGACY_FRAME_PROTOCOL_VERSION}, found ${version}`,
    );
  return hello.data;
}

/** The frame of a text message; undefined when it is none. */
function parseFrame(data: unknown): unknown {
  if (!Buffer.isBuffer(data) || data.length > MAX_FRAME_BYTES) return undefined;
  try {
    return JSON.parse(data.toString('utf8'));
  } catch {
    return undefined;
  }
}

export interface FrameConnectionOptions {
  readonly hostId: string;
  readonly bootId: string;
  readonly hello: LegacyHello;
  readonly socket: WebSocket;
  readonly clock: Clock;
}

export class FrameConnection implements HostLink {
  readonly id = randomUUID();
  readonly hostId: string;
  readonly bootId: string;
  readonly version: string;
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  #missed = 0;

  constructor({ hostId, bootId, hello, socket, clock }: FrameConnectionOptions) {
    this.hostId = hostId;
    this.bootId = bootId;
    this.version = hello.version;
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => socket.terminate());
    socket.on('message', (data) => this.#take(parseFrame(data)));
    void this.#keepAlive(clock);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  open(): Promise<never> {
    return Promise.reject(this.#unsupported());
  }

  openStream(): never {
    throw this.#unsupported();
  }

  respond(): Promise<never> {
    return Promise.reject(this.#unsupported());
  }

  call(): Promise<never> {
    return Promise.reject(this.#unsupported());
  }

  close(code: number): void {
    this.#socket.close(code);
    setTimeout(() => this.#socket.terminate(), 2_000).unref();
  }

  #take(frame: unknown): void {
    const { data } = legacyFrameSchema.safeParse(frame);
    // Whatever it says, it is alive.
    this.#missed = 0;
    const ping = legacyPingSchema.safeParse(data);
    if (ping.success) this.#send({ kind: 'pong', ts: ping.data.ts });
  }

  async #keepAlive(clock: Clock): Promise<void> {
    const controller = new AbortController();
    void this.closed.then(() => controller.abort());
    for (;;) {
      await clock
        .sleep(TUNNEL.pingIntervalMs, { signal: controller.signal, unref: true })
        .catch(() => undefined);
      if (controller.signal.aborted) return;
      if (this.#missed >= TUNNEL.missedPings) return this.#socket.terminate();
      this.#missed += 1;
      this.#send({ kind: 'ping', ts: clock.now() / 1000 });
    }
  }

  #send(frame: Readonly<Record<string, unknown>>): void {
    if (this.isOpen) this.#socket.send(JSON.stringify(frame));
  }

  #unsupported(): SandboxError {
    return new SandboxError(
      'host_unsupported',
      `the host speaks the JSON frames of Omnigent ${this.version}: expected a host with ${TUNNEL.subprotocol} for programs, files and ports`,
    );
  }
}
