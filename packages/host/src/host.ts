/** Puts the host together; only sequences. */
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { systemClock } from '@omnigent/protocol';
import { createHostServer } from './api/host-server.ts';
import { createRouter } from './api/router.ts';
import type { HostSettings } from './settings.ts';
import { ProcessRegistry } from './processes/process-registry.ts';
import { buildProcessRoutes } from './processes/routes.ts';
import { buildStatusRoutes } from './status/routes.ts';
import { createProxyAgent } from './tunnel/proxy-agent.ts';
import { runTunnel } from './tunnel/tunnel.ts';
import { buildWorkspaceRoutes } from './workspace/routes.ts';
import { Workspace } from './workspace/workspace.ts';

const CAPABILITIES = ['workspace', 'processes'];
/** Programs get this long between SIGTERM and SIGKILL when the host is told to stop. */
const STOP_GRACE_MS = 5_000;

/** Runs until told to stop or refused for good; see {@link runTunnel} for what it throws. */
export async function runHost(
  settings: HostSettings,
  options: { readonly signal: AbortSignal; readonly report: (message: string) => void },
): Promise<void> {
  const clock = systemClock;
  const bootId = crypto.randomUUID();
  const state = join(settings.home, '.omnigent');
  const workspace = new Workspace({
    directory: join(settings.home, 'workspace'),
    env: settings.programEnvironment,
    clock,
  });
  const processes = new ProcessRegistry({
    directory: join(state, 'processes', bootId),
    env: settings.programEnvironment,
    workspace: () => workspace.path,
    bootId,
    clock,
  });
  let token = settings.token;
  const acceptToken = (next: string) => (token = next);
  const routes = [
    ...buildStatusRoutes({
      bootId,
      startedAt: clock.now(),
      capabilities: CAPABILITIES,
      processes,
      workspace,
      acceptToken,
    }),
    ...buildWorkspaceRoutes(workspace),
    ...buildProcessRoutes(processes),
  ];
  const server = createHostServer(createRouter(routes));
  const stopping = new AbortController();
  const onStop = () => void processes.stopAll(STOP_GRACE_MS).then(() => stopping.abort());
  if (options.signal.aborted) return;
  options.signal.addEventListener('abort', onStop, { once: true });
  const agent = createProxyAgent(settings.serverUrl, process.env);
  await runTunnel({
    serverUrl: settings.serverUrl,
    hostId: settings.hostId,
    bootId,
    token: () => token,
    server,
    clock,
    random: Math.random,
    report: options.report,
    signal: stopping.signal,
    ...(agent === undefined ? {} : { agent }),
    ...(settings.caFile === undefined
      ? {}
      : { ca: [...rootCertificates, await readFile(settings.caFile, 'utf8')] }),
    ...(settings.exitWhenUnreachableSeconds === undefined
      ? {}
      : { exitWhenUnreachableMs: settings.exitWhenUnreachableSeconds * 1000 }),
  }).finally(() => processes.stopAll(0));
}
