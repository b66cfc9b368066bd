/** `GET /v1/hosts/{host_id}/tunnel`: refuses before the upgrade, exchanges the token, announces the connection. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  CLOSE,
  HOST_ROUTES,
  SandboxError,
  TUNNEL,
  connectionTokenSchema,
  hostStatusSchema,
  isSandboxError,
  toIsoTime,
} from '@omnigent/protocol';
import type { Clock, HostStatus, RandomBytes } from '@omnigent/protocol';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import * as z from 'zod';
import type { SandboxRecord, TokenDigests } from '../store/sandbox-record.ts';
import type { SandboxStore } from '../store/sandbox-store.ts';
import { admitHost } from './admission.ts';
import type { ConnectionRegistry } from './connection-registry.ts';
import { FrameConnection, receiveHello } from './frame-connection.ts';
import { HostConnection } from './host-connection.ts';
import { offerToken } from './offer-token.ts';
import { createToken, toDigest } from './token.ts';

/** A host whose socket is open. */
interface GreetedHost {
  readonly hostId: string;
  readonly bootId: string;
  readonly socket: WebSocket;
  readonly clock: Clock;
}

/** A host whose token was found good. */
interface Admitted {
  readonly record: SandboxRecord;
  readonly tokenDigest: string;
}

export interface TunnelEndpointOptions {
  readonly sandboxes: SandboxStore;
  readonly connections: ConnectionRegistry;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly report: (message: string, facts: Readonly<Record<string, unknown>>) => void;
  /** Whether the server is going away: hosts are told to come back later. */
  readonly isClosing: () => boolean;
}

/** Largest WebSocket message of a host: HTTP/2 frames are at most 64 KiB, several may share a message. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
const EXCHANGE_TIMEOUT_MS = 10_000;

export class TunnelEndpoint {
  readonly #options: TunnelEndpointOptions;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (protocols) => (protocols.has(TUNNEL.subprotocol) ? TUNNEL.subprotocol : false),
  });

  constructor(options: TunnelEndpointOptions) {
    this.#options = options;
  }

  /** Answers an upgrade request. @throws SandboxError when it is refused; nothing has been sent then. */
  async accept(
    request: IncomingMessage,
    duplex: Duplex,
    options: { readonly head: Buffer; readonly hostId: string },
  ): Promise<void> {
    const { hostId } = options;
    if (this.#options.isClosing()) throw new SandboxError('shutting_down', 'the server is shutting down');
    const bootId = readHeader(request, TUNNEL.bootIdHeader) ?? 'unknown';
    const tokenDigest = toDigest(readHeader(request, TUNNEL.tokenHeader) ?? '');
    const record = await this.#admit({ hostId, tokenDigest, bootId });
    this.#sockets.handleUpgrade(request, duplex, options.head, (socket) => {
      const facts = { hostId, bootId, socket, clock: this.#options.clock };
      const version = readHeader(request, TUNNEL.versionHeader) ?? null;
      const opened =
        request.headers['sec-websocket-protocol'] === undefined
          ? this.#greet(record, facts)
          : this.#exchange(
              { record, tokenDigest },
              new HostConnection({ ...facts, version, transport: duplex }),
            );
      opened.catch((error: unknown) => this.#refuse(socket, { hostId, error }));
    });
  }

  /** The record of a host whose token is good. @throws SandboxError */
  async #admit(host: { hostId: string; tokenDigest: string; bootId: string }): Promise<SandboxRecord> {
    const { sandboxes, clock } = this.#options;
    try {
      const record = await sandboxes.findByHost(host.hostId);
      return admitHost(record, {
        ...host,
        now: clock.now(),
        owner: await sandboxes.findByToken(host.tokenDigest),
      });
    } catch (cause) {
      if (isSandboxError(cause)) throw cause;
      // It may well be a good host: it has to come again.
      throw new SandboxError('store_unavailable', 'the store does not say whose host this is', { cause });
    }
  }

  /** A published host has no memory for another token and no calls; it is online when it has said hello. */
  async #greet(record: SandboxRecord, facts: GreetedHost): Promise<void> {
    const { sandboxes, connections, report } = this.#options;
    const hello = await receiveHello(facts.socket, AbortSignal.timeout(EXCHANGE_TIMEOUT_MS));
    const connection = new FrameConnection({ ...facts, hello });
    const host = {
      connectionId: connection.id,
      version: hello.version,
      bootId: facts.bootId,
      capabilities: [],
    };
    const updated = await sandboxes.update(record.id, () => ({ host }));
    if (updated === undefined || updated.deletingAt !== null) return connection.close(CLOSE.terminated);
    connections.add(connection);
    report('host of the published kind connected', { host_id: record.hostId, version: hello.version });
  }

  /** Hands the host a token that only its memory holds; then the token it came with is dead. */
  async #exchange({ record, tokenDigest }: Admitted, connection: HostConnection): Promise<void> {
    const { sandboxes, connections, randomBytes } = this.#options;
    const signal = AbortSignal.timeout(EXCHANGE_TIMEOUT_MS);
    const token = createToken(randomBytes);
    const digest = toDigest(token);
    const expiresAt = record.expiresAt;
    // The intent first: whatever is lost after this line, the host can come back with either token. It came with one that an
    // exchange before this may have handed out without an answer, so that one is the current one now.
    const intended = await sandboxes.update(record.id, ({ document }) => {
      const offered = offerToken(document.tokens, tokenDigest, digest);
      return offered === undefined ? undefined : { tokens: offered };
    });
    if (intended === undefined) return connection.close(CLOSE.superseded);
    const body = connectionTokenSchema.parse({ token, expires_at: toIsoTime(expiresAt) });
    const [, status] = await Promise.all([
      connection.call({ method: 'PUT', path: HOST_ROUTES.connectionToken, body, signal }, z.null()),
      connection.call({ method: 'GET', path: HOST_ROUTES.status, signal }, hostStatusSchema),
    ]);
    const tokens: TokenDigests = { current: digest, next: null, kind: 'connection', expiresAt };
    const updated = await sandboxes.update(record.id, ({ document }) =>
      // A later connection of the host has begun its own exchange.
      document.tokens?.next === digest ? { tokens, host: toHostFacts(connection, status) } : undefined,
    );
    if (updated === undefined) return connection.close(CLOSE.superseded);
    if (updated.deletingAt !== null) return connection.close(CLOSE.terminated);
    connections.add(connection);
    this.#options.report('host connected', { host_id: record.hostId, sandbox_id: record.id });
  }

  #refuse(socket: WebSocket, { hostId, error }: { readonly hostId: string; readonly error: unknown }): void {
    this.#options.report('host refused', { host_id: hostId, error });
    socket.close(CLOSE.protocolError);
    setTimeout(() => socket.terminate(), 2_000).unref();
  }
}

function toHostFacts(connection: HostConnection, status: HostStatus) {
  const { id, version, bootId } = connection;
  return { connectionId: id, version, bootId, capabilities: status.capabilities };
}

function readHeader(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  const text = Array.isArray(value) ? value[0] : value;
  return text === undefined || text.length > 512 ? undefined : text;
}
