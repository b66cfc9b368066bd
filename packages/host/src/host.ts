/** Puts the host together; only sequences. */
import type { Http2Server } from 'node:http2';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@omnigent/protocol';
import { buildAttachRoutes } from './attach/routes.ts';
import { createHostServer } from './api/host-server.ts';
import { createRouter } from './api/router.ts';
import type { Route } from './api/router.ts';
import type { FileScope } from './files/opened-path.ts';
import { buildFileRoutes } from './files/routes.ts';
import type { HostSettings } from './settings.ts';
import { ProcessRegistry } from './processes/process-registry.ts';
import { buildProcessRoutes } from './processes/routes.ts';
import { warmUp } from './processes/warm-up.ts';
import { buildStatusRoutes } from './status/routes.ts';
import { hasNativePty } from './pty/native-pty.ts';
import { buildPortRoutes } from './ports/routes.ts';
import { createProxyAgents } from './tunnel/proxy-agent.ts';
import { readRoots } from './tunnel/read-roots.ts';
import { runTunnel } from './tunnel/tunnel.ts';
import { buildWorkspaceRoutes } from './workspace/routes.ts';
import { Workspace } from './workspace/workspace.ts';

/** Programs get this long between SIGTERM and SIGKILL when the host is told to stop. */
const STOP_GRACE_MS = 5_000;

/** What the host works with. */
interface HostParts {
  readonly bootId: string;
  readonly workspace: Workspace;
  readonly processes: ProcessRegistry;
  readonly files: FileScope;
}

function createParts(settings: HostSettings, report: (message: string) => void): HostParts {
  const bootId = crypto.randomUUID();
  const { home, programEnvironment: env } = settings;
  const workspace = new Workspace({ directory: join(home, 'workspace'), env, clock: systemClock });
  const processes = new ProcessRegistry({
    directory: join(home, '.omnigent', 'processes', bootId),
    env,
    workspace: () => workspace.path,
    bootId,
    clock: systemClock,
    report,
  });
  const state = join(home, '.omnigent');
  const files = {
    workspace: () => workspace.path,
    // Until a program has run there is no state, and nothing to hide.
    hostState: async () => await realpath(state).catch(() => state),
  };
  return { bootId, workspace, processes, files };
}

function buildRoutes(parts: HostParts, acceptToken: (token: string) => void): Route[] {
  const { workspace, processes } = parts;
  return [
    ...buildStatusRoutes({
      ...parts,
      startedAt: systemClock.now(),
      capabilities: listCapabilities(),
      acceptToken,
      onAnswered: once(warmUp),
    }),
    ...buildWorkspaceRoutes(workspace),
    ...buildPortRoutes(parts.bootId),
    ...buildProcessRoutes(processes),
    ...buildFileRoutes(parts.files),
    ...buildAttachRoutes({ processes, clock: systemClock }),
  ];
}

function once(run: () => void): () => void {
  let hasRun = false;
  return () => {
    if (hasRun) return;
    hasRun = true;
    setImmediate(run);
  };
}

/** What this host can do; a terminal needs the pty binding, which may be missing. */
function listCapabilities(): string[] {
  return [
    'workspace',
    'processes',
    'attach',
    'files',
    'archive',
    'ports',
    'forward',
    ...(hasNativePty() ? ['pty'] : []),
  ];
}

/** What of the settings concerns the way to the server. */
async function buildDialSettings({
  serverUrl,
  hostId,
  caBundle,
  exitWhenUnreachableSeconds: seconds,
}: HostSettings) {
  const createAgent = createProxyAgents(serverUrl, process.env);
  return {
    serverUrl,
    hostId,
    ...(createAgent === undefined ? {} : { createAgent }),
    ...(caBundle === undefined ? {} : { ca: await readRoots(caBundle) }),
    ...(seconds === undefined ? {} : { exitWhenUnreachableMs: seconds * 1000 }),
  };
}

/** Runs until told to stop or refused for good; see {@link runTunnel} for what it throws. */
export async function runHost(
  settings: HostSettings,
  options: { readonly signal: AbortSignal; readonly report: (message: string) => void },
): Promise<void> {
  const { signal: leaving, report } = options;
  const parts = createParts(settings, report);
  let token = settings.token;
  let server: Http2Server | undefined;
  const openServer = () =>
    (server ??= createHostServer(createRouter(buildRoutes(parts, (next) => (token = next)))));
  const stopped = new AbortController();
  let stopping: Promise<void> | undefined;
  const onStop = () => {
    stopping = parts.processes.stopAll(STOP_GRACE_MS).then(() => stopped.abort());
  };
  if (leaving.aborted) return;
  leaving.addEventListener('abort', onStop, { once: true });
  try {
    await runTunnel({
      ...(await buildDialSettings(settings)),
      bootId: parts.bootId,
      token: () => token,
      server: openServer,
      // What loading it takes passes while the server answers.
      onAsked: openServer,
      clock: systemClock,
      random: Math.random,
      report,
      // The server learns at once that the host goes; what programs say at their end still goes to whoever reads it.
      leaving,
      signal: stopped.signal,
    });
  } finally {
    // The tunnel may end before the programs that have been told to.
    await (stopping ?? parts.processes.stopAll(0));
  }
}
