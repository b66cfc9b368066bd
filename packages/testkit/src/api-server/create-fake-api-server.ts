/** A Kubernetes API server in miniature: real HTTP, real watches, and faults on demand. */
import { systemClock } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import type { ApiObject } from './api-object.ts';
import type { RecordedRequest } from './api-request.ts';
import { collectDependants } from './change-object.ts';
import { freezeReads } from './fake-state.ts';
import type { AdmissionHook, FakeState } from './fake-state.ts';
import { createFaults } from './faults.ts';
import type { Faults, RequestMatch } from './faults.ts';
import { createKubelet, putEvent } from './kubelet.ts';
import type { Kubelet, PodEvent, PodScript } from './kubelet.ts';
import { listen } from './listen.ts';
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

type Switches = Pick<
  FakeApiServer,
  'emitEvent' | 'freezeReads' | 'thawReads' | 'expirePages' | 'setGoneForm' | 'setGarbageCollection'
>;

function buildSwitches(state: FakeState): Switches {
  return {
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
  const listening = await listen(state, watches);

  async function close(): Promise<void> {
    kubelet.close();
    await listening.close();
  }

  return {
    ...buildSwitches(state),
    url: listening.url,
    kubeconfig: buildKubeconfig(listening.url),
    requests: listening.requests,
    count: (match = {}) => listening.count(match),
    untilRequested: (match, wanted = 1) => listening.untilRequested(match, wanted),
    store: state.store,
    faults: state.faults,
    rights: state.rights,
    watches,
    kubelet,
    admission: state.admission,
    logs: state.logs,
    get socketCount() {
      return listening.sockets.size;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
