/** The HTTP side of the fake: accepts, records and answers requests, and counts connections. */
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerRequest } from './answer-request.ts';
import { readApiRequest } from './api-request.ts';
import type { RecordedRequest } from './api-request.ts';
import type { FakeState } from './fake-state.ts';
import { isMatch } from './faults.ts';
import type { RequestMatch } from './faults.ts';
import type { Watches } from './watches.ts';

export interface Listening {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  readonly sockets: ReadonlySet<Socket>;
  count(match: RequestMatch): number;
  /** Resolves once so many requests that match have come. */
  untilRequested(match: RequestMatch, count: number): Promise<void>;
  close(): Promise<void>;
}

interface Recorder extends Pick<Listening, 'requests' | 'count' | 'untilRequested'> {
  add(request: RecordedRequest): void;
}

function createRecorder(): Recorder {
  const requests: RecordedRequest[] = [];
  const arrivals = new EventTarget();
  const count = (match: RequestMatch) => requests.filter((request) => isMatch(request, match)).length;
  return {
    requests,
    count,
    async untilRequested(match, wanted) {
      while (count(match) < wanted)
        await new Promise((resolve) => arrivals.addEventListener('request', resolve, { once: true }));
    },
    add(request) {
      requests.push(request);
      arrivals.dispatchEvent(new Event('request'));
    },
  };
}

/** Starts on a free port of loopback. */
export async function listen(state: FakeState, watches: Watches): Promise<Listening> {
  const recorder = createRecorder();
  const sockets = new Set<Socket>();

  async function accept(message: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const request = await readApiRequest(message);
    if (request === null) return void response.writeHead(404).end('404 page not found\n');
    const recorded: RecordedRequest = { ...request, at: state.clock.now(), status: null };
    response.on('finish', () => (recorded.status = response.statusCode));
    recorder.add(recorded);
    await answerRequest(request, state.faults.take(request), { state, watches, response });
  }

  const server = http.createServer((message, response) => {
    accept(message, response).catch(() => response.socket?.destroy());
  });
  // As the real one: what a client leaves open stays open for a while.
  server.keepAliveTimeout = 90_000;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...recorder,
    url: `http://127.0.0.1:${port}`,
    sockets,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
