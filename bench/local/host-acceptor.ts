/** The server's end of a tunnel, as small as it can be: accepts one host and speaks HTTP/2 with it. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { connect } from 'node:http2';
import type { ClientHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { HOST_ROUTES, TUNNEL } from '@omnigent/protocol';
import { WebSocketServer, createWebSocketStream } from 'ws';
import { listenOnLoopback } from '../harness/listen.ts';
import { BUNDLE_FOLDER } from '../../scripts/bundle/bundles.ts';
import { createStateDirectory } from '../../scripts/omnigent/state-directory.ts';

/** A host process that has dialled back. */
export interface AcceptedHost extends AsyncDisposable {
  readonly pid: number;
  /** Milliseconds from the start of its process to its request for the tunnel. */
  readonly dialMs: number;
}

/** Starts a host process with a folder for its compiled code, accepts its connection and waits until it has answered a request. */
export async function acceptHost(compileCache: string): Promise<AcceptedHost> {
  await using resources = new AsyncDisposableStack();
  const home = resources.use(await createStateDirectory());
  const server = resources.adopt(createServer(), (open) => void open.close());
  const port = await listenOnLoopback(server);
  const dialled = waitForUpgrade(server);
  const started = performance.now();
  const child = resources.adopt(startHost({ port, home: home.path, compileCache }), stopHost);
  const upgrade = await dialled;
  const dialMs = performance.now() - started;
  const session = resources.adopt(await openSession(upgrade), (open) => open.destroy());
  await request(session, HOST_ROUTES.connectionToken, {
    token: 'b'.repeat(43),
    expires_at: '2100-01-01T00:00:00.000Z',
  });
  await request(session, HOST_ROUTES.status);
  const owned = resources.move();
  return { pid: child.pid ?? 0, dialMs, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

interface Upgrade {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

function waitForUpgrade(server: Server): Promise<Upgrade> {
  return new Promise((resolve) => {
    server.once('upgrade', (incoming, socket, head) => resolve({ incoming, socket, head }));
  });
}

interface HostStart {
  readonly port: number;
  readonly home: string;
  readonly compileCache: string;
}

function startHost({ port, home, compileCache }: HostStart): ChildProcess {
  const args = [`${BUNDLE_FOLDER}/host/main.js`, '--server', `http://127.0.0.1:${port}`];
  return spawn(process.execPath, args, {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      HOME: home,
      // As the image and the local provider start it.
      NODE_COMPILE_CACHE: compileCache,
      OMNIGENT_HOST_TOKEN: 'a'.repeat(43),
      OMNIGENT_HOST_ID: 'h0123456789ab',
      OMNIGENT_HOST_NAME: 'bench',
    },
  });
}

async function stopHost(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
}

async function openSession({ incoming, socket, head }: Upgrade): Promise<ClientHttp2Session> {
  const acceptor = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    handleProtocols: () => TUNNEL.subprotocol,
  });
  const { promise, resolve } = Promise.withResolvers<Duplex>();
  acceptor.handleUpgrade(incoming, socket, head, (webSocket) => resolve(createWebSocketStream(webSocket)));
  const duplex = await promise;
  return connect('http://host', { createConnection: () => duplex });
}

/** One request to the host: GET, or PUT when there is a body; throws unless it succeeds. */
async function request(session: ClientHttp2Session, path: string, body?: unknown): Promise<void> {
  const stream = session.request({
    ':path': path,
    ':method': body === undefined ? 'GET' : 'PUT',
    'content-type': 'application/json',
  });
  // Before the answer: a stream without a body is closed as soon as it has come.
  const closed = once(stream, 'close');
  stream.end(body === undefined ? undefined : JSON.stringify(body));
  const [headers] = await once(stream, 'response');
  stream.resume();
  await closed;
  if (headers[':status'] >= 300)
    throw new Error(`${path} was expected to succeed; the host said ${headers[':status']}`);
}
