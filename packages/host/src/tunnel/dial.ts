/** One dial: a WebSocket to the server whose bytes are HTTP/2, or the reason why there is none. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { TUNNEL, VERSION, fromProblem, SERVER_ROUTES } from '@omnigent/protocol';
import WebSocket, { createWebSocketStream } from 'ws';
import type { CreateAgent } from './proxy-agent.ts';
import { isCertificateError, isRefusal } from './refusal.ts';
import type { DialFailure } from './refusal.ts';
import { writeTogether } from './write-together.ts';

export interface DialOptions {
  readonly serverUrl: URL;
  readonly hostId: string;
  readonly bootId: string;
  readonly token: string;
  /** Makes the agent of a way through a proxy. */
  readonly createAgent?: CreateAgent;
  readonly ca?: readonly string[];
  readonly signal: AbortSignal;
  /** Called when the request for the tunnel is on its way. */
  readonly onAsked?: () => void;
  /** What the whole dial may take, whatever proxy and server do. */
  readonly timeoutMs?: number;
}

export interface Connection {
  readonly socket: WebSocket;
  readonly duplex: Duplex;
}

export type DialResult = { readonly connection: Connection } | { readonly failure: DialFailure };

/** Largest WebSocket message the host accepts; the server sends HTTP/2 frames of at most 64 KiB. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
const MAX_PROBLEM_BYTES = 16 * 1024;
/** Proxy, TLS and server have a handshake each. */
const DIAL_TIMEOUT_MS = 3 * TUNNEL.handshakeTimeoutMs;

/** Dials once. Never rejects. */
export function dial(options: DialOptions): Promise<DialResult> {
  const { signal, timeoutMs = DIAL_TIMEOUT_MS } = options;
  const failed = new AbortController();
  const socket = createSocket(options, failed.signal);
  // Must exist before `open`, or the first bytes are lost.
  const duplex = createWebSocketStream(socket, {
    readableHighWaterMark: 1024 * 1024,
    writableHighWaterMark: 1024 * 1024,
  });
  duplex.on('error', () => socket.terminate());
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    const fail = (failure: DialFailure) => {
      settle();
      failed.abort();
      socket.terminate();
      resolve({ failure });
    };
    const onAbort = () => fail({ kind: 'transient', message: 'the host is stopping' });
    const timer = setTimeout(
      () => fail({ kind: 'transient', message: `there was no tunnel after ${timeoutMs / 1000} s` }),
      timeoutMs,
    );
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('upgrade', (response) => writeTogether(duplex, response.socket));
    socket.once('open', () => {
      settle();
      resolve({ connection: { socket, duplex } });
    });
    socket.once('unexpected-response', (_request, response) => {
      void readRefusal(response).then((text) => fail(toFailure(response.statusCode ?? 0, text)));
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const kind = isCertificateError(error) ? 'certificate' : 'transient';
      const advice = kind === 'certificate' ? '; give its root with --ca-bundle or OMNIGENT_CA_BUNDLE' : '';
      fail({ kind, message: `${error.message || error.code || 'the connection failed'}${advice}` });
    });
    socket.once('close', (code) =>
      fail({ kind: 'transient', message: `the connection was closed with code ${code}` }),
    );
  });
}

/** The text of a refusal, as far as it comes in time and is not too long. */
async function readRefusal(response: IncomingMessage): Promise<string> {
  const timer = setTimeout(() => response.destroy(), TUNNEL.handshakeTimeoutMs);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= MAX_PROBLEM_BYTES) break;
    }
  } catch {
    // What has come says enough, or nothing.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, MAX_PROBLEM_BYTES).toString('utf8');
}

function createSocket(options: DialOptions, failed: AbortSignal): WebSocket {
  const { serverUrl, hostId, bootId, token, createAgent, ca, onAsked } = options;
  const url = new URL(SERVER_ROUTES.tunnel(hostId), serverUrl);
  url.protocol = serverUrl.protocol === 'https:' ? 'wss:' : 'ws:';
  return new WebSocket(url, [TUNNEL.subprotocol], {
    headers: { [TUNNEL.tokenHeader]: token, [TUNNEL.bootIdHeader]: bootId, [TUNNEL.versionHeader]: VERSION },
    perMessageDeflate: false,
    generateMask: useNoMask,
    handshakeTimeout: TUNNEL.handshakeTimeoutMs,
    maxPayload: MAX_MESSAGE_BYTES,
    finishRequest(request) {
      if (onAsked !== undefined) request.once('finish', onAsked);
      request.end();
    },
    ...(createAgent === undefined ? {} : { agent: createAgent(failed) }),
    ...(ca === undefined ? {} : { ca: [...ca] }),
  });
}

/**
 * A mask of zeros, which ws neither applies nor removes: masking takes half of the tunnel's time at both ends. It
 * protects proxies from bytes that a web page chooses; a program in a sandbox can send any bytes without us.
 */
function useNoMask(mask: Uint8Array): void {
  mask.fill(0);
}

function toFailure(status: number, body: string): DialFailure {
  let detail = '';
  try {
    detail = `: ${fromProblem(JSON.parse(body), 'server_answer').message}`;
  } catch {
    // A proxy's page says nothing worth repeating.
  }
  return {
    kind: isRefusal(status) ? 'refused' : 'transient',
    status,
    message: `the server answered ${status}${detail}`,
  };
}
