/** A host that a test drives: it dials as a real one does and answers whatever the test wants. */
import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { ServerHttp2Stream } from 'node:http2';
import { HOST_ROUTES, SERVER_ROUTES, TUNNEL } from '@omnigent/protocol';
import { WebSocket, createWebSocketStream } from 'ws';
import { waitForEvent } from '../server-harness/test-server.ts';
import type { TestServer } from '../server-harness/test-server.ts';

export type Answer = (stream: ServerHttp2Stream) => void;

export interface HostileHost {
  readonly sandboxId: string;
  readonly socket: WebSocket;
  /** Close code of the tunnel. */
  readonly closed: Promise<number>;
}

const STATUS = {
  version: '9.9.9',
  boot_id: 'hostile',
  capabilities: ['workspace', 'processes'],
  started_at: null,
  load_average: [],
  memory: { used_bytes: null, limit_bytes: null, oom_kills: null },
  processes: { running: 0, total: 0 },
  workspace: null,
};

/** Answers with JSON, whatever it is. */
export function toAnswer(value: unknown): Answer {
  return (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/json' });
    stream.end(typeof value === 'string' ? value : JSON.stringify(value));
  };
}

const GOOD: Readonly<Record<string, Answer>> = {
  [HOST_ROUTES.connectionToken]: (stream) => {
    stream.respond({ ':status': 204 });
    stream.end();
  },
  [HOST_ROUTES.status]: toAnswer(STATUS),
  [HOST_ROUTES.workspace]: toAnswer('{"type":"done","path":"/w","heads":{}}\n'),
};

/** Launches a sandbox and dials as its host; `answers` by path replace the good ones, and `*` takes every other path. */
export async function openHostileHost(
  api: TestServer,
  answers: Readonly<Record<string, Answer>>,
): Promise<HostileHost> {
  const { id } = await api.launch();
  await waitForEvent(api.events(id), (event) => event.type === 'stage' && event.stage === 'connecting');
  const request = api.launcher.requests.find(({ sandboxId }) => sandboxId === id);
  if (request === undefined) throw new Error(`sandbox ${id} was not started`);
  const url = new URL(SERVER_ROUTES.tunnel(request.hostId), api.server.url);
  url.protocol = 'ws:';
  const socket = new WebSocket(url, [TUNNEL.subprotocol], {
    headers: { [TUNNEL.tokenHeader]: request.token, [TUNNEL.bootIdHeader]: 'hostile' },
  });
  const duplex = createWebSocketStream(socket);
  duplex.on('error', () => undefined);
  const server = createServer();
  server.on('sessionError', () => undefined);
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const path = String(headers[':path']).split('?')[0] ?? '';
    (answers[path] ?? GOOD[path] ?? answers['*'])?.(stream);
  });
  const closed = once(socket, 'close').then(([code]) => Number(code));
  await once(socket, 'open');
  server.emit('connection', duplex);
  return { sandboxId: id, socket, closed };
}
