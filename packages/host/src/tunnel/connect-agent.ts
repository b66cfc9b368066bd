/**
 * Goes through a proxy by CONNECT, also where the server speaks plain http: a proxy that is asked for `http://…` as such
 * does not let a WebSocket through. A proxy that does not answer is given up, as a server that does not.
 */
import { Agent, request as requestHttp } from 'node:http';
import type { ClientRequest, ClientRequestArgs } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import { TUNNEL } from '@omnigent/protocol';

export interface ConnectAgentOptions {
  readonly proxy: URL;
  /** Whether the server beyond the proxy speaks TLS. */
  readonly isSecure: boolean;
  /** Aborting breaks off what the proxy has not yet answered. */
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

type OnSocket = (error: Error | null, socket: Duplex) => void;

function buildAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

export class ConnectAgent extends Agent {
  /** Asked for by requests over https. */
  readonly protocol: string;
  readonly defaultPort: number;
  readonly #options: ConnectAgentOptions;

  constructor(options: ConnectAgentOptions) {
    super();
    this.#options = options;
    this.protocol = options.isSecure ? 'https:' : 'http:';
    this.defaultPort = options.isSecure ? 443 : 80;
  }

  override createConnection(options: ClientRequestArgs & ConnectionOptions, onSocket: OnSocket): undefined {
    this.#open(`${options.host ?? 'localhost'}:${options.port ?? this.defaultPort}`).then(
      (socket) => onSocket(null, this.#options.isSecure ? connectTls({ ...options, socket }) : socket),
      (error: Error) => {
        const refuse: (error: Error) => void = onSocket as (error: Error) => void;
        refuse(error);
      },
    );
    return undefined;
  }

  /** The way through the proxy; whatever came with its answer is the first that is read from it. */
  #open(destination: string): Promise<Duplex> {
    const { proxy, signal, timeoutMs = TUNNEL.handshakeTimeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      const asking = this.#ask(destination);
      const onAbort = () => asking.destroy(new Error('the dial was broken off'));
      const timer = setTimeout(
        () => asking.destroy(new Error(`the proxy ${proxy.host} did not answer in ${timeoutMs / 1000} s`)),
        timeoutMs,
      );
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      asking.once('close', settle);
      asking.once('error', reject);
      asking.once('connect', ({ statusCode }, socket, head) => {
        settle();
        if (statusCode === 200) {
          if (head.length > 0) socket.unshift(head);
          return resolve(socket);
        }
        socket.destroy();
        reject(new Error(`the proxy ${proxy.host} answered ${statusCode} to CONNECT`));
      });
      if (signal.aborted) onAbort();
      else asking.end();
    });
  }

  #ask(destination: string): ClientRequest {
    const { hostname, port, protocol } = this.#options.proxy;
    const isSecure = protocol === 'https:';
    const send = isSecure ? requestHttps : requestHttp;
    return send({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (isSecure ? 443 : 80) : Number(port),
      method: 'CONNECT',
      path: destination,
      headers: { host: destination, ...buildAuthorization(this.#options.proxy) },
      agent: false,
    });
  }
}
