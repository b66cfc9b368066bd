/**
 * Goes through a proxy by CONNECT also where the server speaks plain http: a proxy that is asked for `http://…` as such
 * does not let a WebSocket through.
 */
import { Agent, request as requestHttp } from 'node:http';
import type { ClientRequest, ClientRequestArgs } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';

type OnSocket = (error: Error | null, socket: Duplex) => void;

function buildAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

export class ConnectAgent extends Agent {
  readonly #proxy: URL;

  constructor(proxy: URL) {
    super();
    this.#proxy = proxy;
  }

  #ask(destination: string): ClientRequest {
    const { hostname, port, protocol } = this.#proxy;
    const isSecure = protocol === 'https:';
    const send = isSecure ? requestHttps : requestHttp;
    return send({
      host: hostname,
      port: port === '' ? (isSecure ? 443 : 80) : Number(port),
      method: 'CONNECT',
      path: destination,
      headers: { host: destination, ...buildAuthorization(this.#proxy) },
    });
  }

  override createConnection(options: ClientRequestArgs, onSocket: OnSocket): undefined {
    const asking = this.#ask(`${options.host ?? 'localhost'}:${options.port ?? 80}`);
    const fail = (error: Error) => {
      const refuse: (error: Error) => void = onSocket as (error: Error) => void;
      refuse(error);
    };
    asking.once('error', fail);
    asking.once('connect', (response, socket) => {
      if (response.statusCode === 200) return onSocket(null, socket);
      socket.destroy();
      fail(new Error(`the proxy ${this.#proxy.host} answered ${response.statusCode} to CONNECT`));
    });
    asking.end();
    return undefined;
  }
}
