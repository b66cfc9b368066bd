/** A Kubernetes API server in miniature: real HTTP, real watches, and faults on demand. */
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { systemClock } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import { answerRequest } from './answer-request.ts';
import type { ApiObject } from './api-object.ts';
import { readApiRequest } from './api-request.ts';
import type { RecordedRequest } from './api-request.ts';
import { collectDependants } from './change-object.ts';
import { freezeReads } from './fake-state.ts';
import type { AdmissionHook, FakeState } from './fake-state.ts';
import { createFaults, isMatch } from './faults.ts';
import type { Faults, RequestMatch } from './faults.ts';
import { createKubelet, putEvent } from './kubelet.ts';
import type { Kubelet, PodEvent, PodScript } from './kubelet.ts';
import { createObjectStore } from './object-store.ts';
import type { ObjectStore } from './object-store.ts';
import { createRights } from './rights.ts';
import type { Rights } from './rights.ts';
import { createWatches } from './watches.ts';
import type { Watches } from './watches.ts';

export interface FakeApiServerOptions {
  /** Times of objects, watches, deletions and delays; the machine's clock by default. */
  readonly clock?: Clock;
  /** Namespaces that exist; `omnigent-sandboxes` by default. */
  readonly namespaces?: readonly string[];
  /** What happens to Pods after they were created; by default they stay pending. */
  readonly script?: PodScript;
}

export interface FakeApiServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Of a kubeconfig that leads here. */
  readonly kubeconfig: string;
  /** Every request so far, in order. */
  readonly requests: readonly RecordedRequest[];
  /** Requests that match. */
  count(match?: RequestMatch): number;
  /** Resolves once so many requests that match have come. */
  untilRequested(match: RequestMatch, count?: number): Promise<void>;
  /** What is stored; change it as another hand would. */
  readonly store: ObjectStore;
  readonly faults: Faults;
  readonly rights: Rights;
  readonly watches: Watches;
  readonly kubelet: Kubelet;
  /** Hooks that look at what is created, in order. */
  readonly admission: AdmissionHook[];
  /** Log texts by `NAMESPACE/POD/CONTAINER`. */
  readonly logs: Map<string, string>;
  emitEvent(pod: ApiObject, event: PodEvent): void;
  /** Serves reads from the present state for ever, until thawed. */
  freezeReads(): void;
  thawReads(): void;
  /** Makes page tokens that were given out invalid. */
  expirePages(): void;
  setGoneForm(form: FakeState['goneForm']): void;
  /** Whether dependants go with their owner; they do by default. */
  setGarbageCollection(isOn: boolean): void;
  /** Connections that are open now. */
  readonly socketCount: number;
  close(): Promise<void>;
}

function buildKubeconfig(url: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'fake', cluster: { server: url } }],
    users: [{ name: 'fake', user: { token: 'fake-token' } }],
    contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'fake' } }],
    'current-context': 'fake',
  });
}

function createState(clock: Clock, namespaces: readonly string[]): FakeState {
  const store = createObjectStore();
  for (const name of namespaces)
    store.put(
      { resource: 'namespaces', namespace: '', name },
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name, uid: `namespace-${name}` },
        status: { phase: 'Active' },
      },
    );
  return {
    clock,
    store,
    faults: createFaults(),
    rights: createRights(),
    admission: [],
    logs: new Map(),
    pages: new Map(),
    reads: store,
    goneForm: 'stream',
    isCollecting: true,
  };
}

interface Listening {
  readonly url: string;
  readonly requests: RecordedRequest[];
  readonly sockets: Set<Socket>;
  close(): Promise<void>;
}

async function listen(state: FakeState, watches: Watches, onRequest: () => void): Promise<Listening> {
  const requests: RecordedRequest[] = [];
  const sockets = new Set<Socket>();

  async function accept(message: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const request = await readApiRequest(message);
    if (request === null) return void response.writeHead(404).end('404 page not found\n');
    const recorded: RecordedRequest = { ...request, at: state.clock.now(), status: null };
    requests.push(recorded);
    response.on('finish', () => (recorded.status = response.statusCode));
    onRequest();
    await answerRequest(request, state.faults.take(request), { state, watches, response });
  }

  const server = http.createServer((message, response) => {
    accept(message, response).catch(() => response.socket?.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    sockets,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/**
 * Starts a fake API server on a free port of loopback.
 *
 * @example
 * await using api = await createFakeApiServer({ script: hostRuns() });
 * api.faults.inject({ match: { verb: 'create', resource: 'pods' }, effect: { type: 'lose-answer' } });
 */
export async function createFakeApiServer(options: FakeApiServerOptions = {}): Promise<FakeApiServer> {
  const { clock = systemClock, namespaces = ['omnigent-sandboxes'], script = null } = options;
  const state = createState(clock, namespaces);
  const watches = createWatches(state);
  const kubelet = createKubelet(state);
  kubelet.script = script;
  state.store.onChange(({ type, object }) => {
    if (type === 'DELETED' && state.isCollecting) queueMicrotask(() => collectDependants(object, state));
  });
  const arrivals = new EventTarget();
  const listening = await listen(state, watches, () => arrivals.dispatchEvent(new Event('request')));
  const { url, requests, sockets } = listening;
  const count = (match: RequestMatch = {}) => requests.filter((request) => isMatch(request, match)).length;

  async function close(): Promise<void> {
    kubelet.close();
    await listening.close();
  }

  return {
    url,
    kubeconfig: buildKubeconfig(url),
    requests,
    count,
    async untilRequested(match, wanted = 1) {
      while (count(match) < wanted)
        await new Promise((resolve) => arrivals.addEventListener('request', resolve, { once: true }));
    },
    store: state.store,
    faults: state.faults,
    rights: state.rights,
    watches,
    kubelet,
    admission: state.admission,
    logs: state.logs,
    emitEvent: (pod, event) => putEvent(pod, event, state),
    freezeReads() {
      state.reads = freezeReads(state.store);
    },
    thawReads() {
      state.reads = state.store;
    },
    expirePages: () => state.pages.clear(),
    setGoneForm(form) {
      state.goneForm = form;
    },
    setGarbageCollection(isOn) {
      state.isCollecting = isOn;
    },
    get socketCount() {
      return sockets.size;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
