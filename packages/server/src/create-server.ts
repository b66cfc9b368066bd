/** Puts the server together out of its parts and starts it; only wires. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { CLOSE } from '@omnigent/protocol';
import type { Clock, ProviderName, RandomBytes } from '@omnigent/protocol';
import type { ApiContext } from './api/context.ts';
import { createApp } from './api/create-app.ts';
import type { Intercept } from './api/create-app.ts';
import { replyProblem } from './api/problem-replies.ts';
import { issuePreviewAddress } from './preview/preview-address.ts';
import { PreviewEndpoint } from './preview/preview-endpoint.ts';
import { PreviewSessions } from './preview/preview-sessions.ts';
import { ATTACH_PATTERN, AttachEndpoint } from './attach/attach-endpoint.ts';
import { PORT_PATTERN, PortEndpoint } from './ports/port-endpoint.ts';
import { createAuthenticator } from './auth/bearer.ts';
import { SWEEP_MIN_AGE_MS, startBackground } from './background/background.ts';
import type { Background } from './background/background.ts';
import { sweep } from './background/sweep.ts';
import type { Launchers } from './launchers/launchers.ts';
import { SandboxService } from './lifecycle/sandbox-service.ts';
import type { Report } from './lifecycle/service-options.ts';
import { createLateMetrics } from './observability/late-metrics.ts';
import type { Metrics } from './observability/metrics.ts';
import type { ServerSettings } from './settings/settings.ts';
import { openStore } from './store/store.ts';
import type { Store } from './store/store.ts';
import { ConnectionRegistry } from './tunnel/connection-registry.ts';
import { toDigest } from './tunnel/token.ts';
import { TunnelEndpoint } from './tunnel/tunnel-endpoint.ts';
import { TUNNEL_PATTERN, byPath, parseHostId, routeUpgrades } from './tunnel/upgrade.ts';

export interface ServerOptions {
  readonly settings: ServerSettings;
  readonly instance: string;
  /** Bearer token of the API. */
  readonly token: string;
  /** Closed together with the server. */
  readonly launchers: Launchers;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** Port to try first when the settings leave it open. */
  readonly preferredPort?: number;
}

/** A server that listens. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly app: FastifyInstance;
  readonly store: Store;
  /** Whether a request, launch or deletion is going on. */
  isBusy(): boolean;
  /** Stops accepting, leaves launches to the next process, sends hosts away so that they come back, closes the store. */
  close(): Promise<void>;
}

const OWNER = 'local';
const PROVIDERS = ['local', 'kubernetes'];
const SWEEP_TIMEOUT_MS = 60_000;

/** What a server consists of, before it listens. */
interface ServerParts {
  readonly store: Store;
  readonly connections: ConnectionRegistry;
  readonly metrics: Metrics;
  readonly service: SandboxService;
  readonly background: Background;
  readonly report: Report;
  readonly previews: PreviewSessions;
  readonly state: { isClosing: boolean; url: string; port: number };
}

async function createParts(options: ServerOptions): Promise<ServerParts> {
  const { settings, instance, launchers, logger, clock, randomBytes } = options;
  const store = await openStore({
    url: settings.databaseUrl,
    // The state directory is locked by this process, and with it the database inside.
    isExclusive: settings.databaseUrl.startsWith(`sqlite:${settings.stateDirectory}/`),
    clock,
  });
  const connections = new ConnectionRegistry();
  const metrics = createLateMetrics({ sandboxes: store.sandboxes, connections }, clock);
  const state = { isClosing: false, url: '', port: 0 };
  const previews = new PreviewSessions({ clock, randomBytes });
  const report: Report = (message, facts) => logger.info(facts, message);
  const launcher = async (provider: ProviderName) => await launchers.get(provider);
  const service = new SandboxService({
    ...settings,
    instance,
    store,
    connections,
    launcher,
    serverUrl: () => settings.url ?? state.url,
    clock,
    randomBytes,
    report,
    onLaunchEnded: (ending) => metrics.observeLaunch(ending),
  });
  const { defaultProvider } = settings;
  const background = startBackground({
    store,
    service,
    connections,
    launcher,
    defaultProvider,
    clock,
    report,
  });
  return { store, connections, metrics, service, background, report, previews, state };
}

function buildContext(options: ServerOptions, parts: ServerParts): ApiContext {
  const { settings, clock, token, instance } = options;
  const { store, service, connections, metrics, background, previews, state } = parts;
  const { previewDomain: domain } = settings;
  return {
    store,
    service,
    connections,
    metrics,
    instance,
    providers: PROVIDERS,
    authenticate: createAuthenticator(toDigest(token), OWNER),
    serverUrl: () => settings.url ?? state.url,
    replyProblem,
    openPreview: (grant) =>
      domain && issuePreviewAddress(grant, { sessions: previews, domain, serverPort: state.port }),
    touch: (id) => background.limits.touch(id),
    sweep: async ({ isDryRun, provider }) =>
      await sweep({
        launcher: await service.launcher(provider),
        sandboxes: store.sandboxes,
        clock,
        minAgeMs: SWEEP_MIN_AGE_MS,
        isDryRun,
        signal: AbortSignal.timeout(SWEEP_TIMEOUT_MS),
      }),
  };
}

interface UpgradeParts extends ServerParts {
  readonly context: ApiContext;
  readonly preview: PreviewEndpoint;
}

function acceptUpgrades(app: FastifyInstance, options: ServerOptions, parts: UpgradeParts): void {
  const { clock, randomBytes } = options;
  const attach = new AttachEndpoint(parts.context);
  const ports = new PortEndpoint(parts.context);
  const { store, connections, report, state } = parts;
  const isClosing = () => state.isClosing;
  const tunnel = new TunnelEndpoint({
    sandboxes: store.sandboxes,
    connections,
    clock,
    randomBytes,
    report,
    isClosing,
  });
  const { preview } = parts;
  routeUpgrades(app.server, [
    (upgrade) => preview.takeUpgrade(upgrade),
    byPath(TUNNEL_PATTERN, ({ request, duplex, head }, [hostId = '']) =>
      tunnel.accept(request, duplex, { head, hostId: parseHostId(hostId) }),
    ),
    byPath(PORT_PATTERN, (upgrade, parameters) => ports.accept(upgrade, parameters)),
    byPath(ATTACH_PATTERN, (upgrade, parameters) => attach.accept(upgrade, parameters)),
  ]);
}

/** Starts a server. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const parts = await createParts(options);
  const { store, connections, service, background, state } = parts;
  const context = buildContext(options, parts);
  const preview = new PreviewEndpoint({
    context,
    sessions: parts.previews,
    domain: options.settings.previewDomain,
    report: parts.report,
  });
  const intercept: Intercept = (request, response) => preview.answer(request, response);
  const app = createApp(context, { logger: options.logger, intercept });
  acceptUpgrades(app, options, { ...parts, context, preview });
  const activity = countRequests(app);
  const address = await listen(app, options);
  state.url = address.url;
  state.port = address.port;
  await service.recover();
  return {
    ...address,
    app,
    store,
    isBusy: () => activity.open > 0 || service.isBusy,
    async close() {
      state.isClosing = true;
      background.stop();
      const closed = app.close();
      await service.close();
      await connections.closeAll(CLOSE.serviceRestart);
      await closed;
      await options.launchers.close();
      await store.close();
    },
  };
}

/** Counts the requests that are not answered yet, whoever answers them. */
function countRequests(app: FastifyInstance): { open: number } {
  const activity = { open: 0 };
  app.server.on('request', (_request, response) => {
    activity.open += 1;
    response.once('close', () => (activity.open -= 1));
  });
  return activity;
}

async function listen(app: FastifyInstance, options: ServerOptions): Promise<{ url: string; port: number }> {
  const { address, port } = options.settings.listen;
  const preferred = port === 0 ? (options.preferredPort ?? 0) : port;
  await app.ready();
  await app.listen({ host: address, port: preferred }).catch(async (error: unknown) => {
    // The port that the last server had is a wish, not a condition.
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (!isTaken || port !== 0) throw error;
    await app.listen({ host: address, port: 0 });
  });
  const found = app.server.address();
  const actual = typeof found === 'object' && found !== null ? found.port : preferred;
  const host = address.includes(':') ? `[${address}]` : address;
  return { url: `http://${host}:${actual}`, port: actual };
}
