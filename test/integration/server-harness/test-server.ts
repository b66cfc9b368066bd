/** A whole server on loopback with a state directory of its own, and a client for it that knows nothing but HTTP. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger, startServer } from '@omnigent/server';
import type { RunningServer } from '@omnigent/server';
import { sandboxEventSchema, sandboxSchema, systemClock, systemRandomBytes } from '@omnigent/protocol';
import type { Clock, CreateSandboxInput, Sandbox, SandboxEvent } from '@omnigent/protocol';
import { ProcessLauncher } from './process-launcher.ts';
import type { ProcessLauncherOptions } from './process-launcher.ts';

export const HOST_BUNDLE = fileURLToPath(new URL('../../../packages/cli/dist/host/main.js', import.meta.url));
const TOKEN = 'a-token-of-these-tests-only';

export interface TestServer extends AsyncDisposable {
  readonly server: RunningServer;
  readonly launcher: ProcessLauncher;
  readonly directory: string;
  /** Of every call. */
  readonly token: string;
  call(method: string, path: string, options?: CallInit): Promise<Response>;
  launch(request?: CreateSandboxInput): Promise<Sandbox>;
  events(id: string, options?: { readonly after?: number }): AsyncGenerator<SandboxEvent>;
}

export interface CallInit {
  readonly json?: unknown;
  readonly body?: NonNullable<RequestInit['body']>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface TestServerOptions extends Partial<ProcessLauncherOptions> {
  readonly port?: number;
  /** What hosts take for the server's address. */
  readonly url?: string;
  readonly clock?: Clock;
}

/** Starts a server; everything of it is gone after its disposal. */
export async function startTestServer(overrides: TestServerOptions = {}): Promise<TestServer> {
  const directory = overrides.directory ?? (await mkdtemp(join(tmpdir(), 'omnigent-server-')));
  const launcher = new ProcessLauncher({ hostBundle: HOST_BUNDLE, ...overrides, directory });
  const server = await startServer({
    settings: {
      stateDirectory: directory,
      listen: { address: '127.0.0.1', port: overrides.port ?? 0 },
      url: overrides.url,
      tokenFile: undefined,
      databaseUrl: `sqlite:${join(directory, 'omnigent.sqlite')}`,
      previewDomain: { scheme: 'http', domain: 'localhost', port: undefined },
      instance: 'test',
      isEmbedded: false,
      defaultProvider: 'local',
      lifetimeSeconds: 3600,
      idleTimeoutSeconds: null,
      onlineTimeoutMs: 20_000,
      providers: { kubernetes: undefined, local: undefined },
    },
    instance: 'test',
    token: TOKEN,
    launchers: { get: async () => launcher, close: async () => undefined },
    logger: createLogger(join(directory, 'server.log')),
    clock: overrides.clock ?? systemClock,
    randomBytes: systemRandomBytes,
  });
  const call = (method: string, path: string, { json, body, headers, signal }: CallInit = {}) =>
    fetch(new URL(path, server.url), {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(body === undefined ? {} : { body, duplex: 'half' }),
      ...(signal === undefined ? {} : { signal }),
    });
  return {
    server,
    launcher,
    directory,
    token: TOKEN,
    call,
    launch: async (request = {}) =>
      sandboxSchema.parse(await (await call('POST', '/v1/sandboxes', { json: request })).json()),
    events: (id, options) => readEvents(call, id, options),
    async [Symbol.asyncDispose]() {
      await server.close();
      for (const providerId of [...launcher.hosts.keys()]) await launcher.terminate(providerId);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function* readEvents(
  call: TestServer['call'],
  id: string,
  { after = 0 }: { readonly after?: number } = {},
): AsyncGenerator<SandboxEvent> {
  const controller = new AbortController();
  const response = await call('GET', `/v1/sandboxes/${id}/events`, {
    headers: { 'last-event-id': String(after) },
    signal: controller.signal,
  });
  if (response.body === null) return;
  let rest = '';
  try {
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) yield sandboxEventSchema.parse(JSON.parse(data));
      }
    }
  } finally {
    controller.abort();
  }
}

/** Reads events until one that `isLast` accepts. */
export async function waitForEvent(
  events: AsyncIterable<SandboxEvent>,
  isLast: (event: SandboxEvent) => boolean,
): Promise<SandboxEvent[]> {
  const seen: SandboxEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (isLast(event)) return seen;
  }
  throw new Error(`the events ended after ${JSON.stringify(seen.at(-1))}`);
}

/** Whether an event says that the sandbox is ready. */
export function isReady(event: SandboxEvent): boolean {
  return event.type === 'condition' && event.condition.type === 'Ready' && event.condition.status === 'True';
}
