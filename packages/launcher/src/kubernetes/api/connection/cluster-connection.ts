/** A connection to one API server: its address, fresh credentials for each request, and the agent they travel with. */
import { existsSync } from 'node:fs';
import type { Agent } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { Cluster, KubeConfig } from '@kubernetes/client-node';
import { SandboxError, toErrorMessage } from '@omnigent/protocol';
import { sanitizeText } from '../fault/render-fault.ts';
import { createAgentPool } from './agent-pool.ts';
import { loadKubeConfig } from './load-kube-config.ts';
import { resolveConfigSource } from './resolve-source.ts';
import type { ConfigSource, SourceOptions } from './resolve-source.ts';

/** What one request is sent with. */
export interface ClusterCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: Agent;
}

export interface ClusterConnection {
  readonly server: URL;
  /** Runs exec plugins and reads token files as they are due. */
  credentials(): Promise<ClusterCredentials>;
  /** Forgets what was read, so that the next credentials come from their source; called after a 401. */
  refresh(): void;
  /** Destroys idle sockets: where one has died in silence, the others have too, and each would cost a deadline. */
  dropIdle(): void;
  close(): void;
}

export type ConnectionOptions = Omit<SourceOptions, 'fileExists'>;

interface AuthenticatedOptions extends RequestOptions {
  headers: Record<string, string>;
}

function toHeaders(options: AuthenticatedOptions): Record<string, string> {
  const basic = options.auth
    ? { Authorization: `Basic ${Buffer.from(options.auth).toString('base64')}` }
    : {};
  // A token file often ends with a newline, which no header may contain.
  const own = Object.entries(options.headers).map(([name, value]) => [name, value.trim()] as const);
  return { ...basic, ...Object.fromEntries(own) };
}

/** Reads token and certificate files and runs exec plugins; their failure is one of the configuration, not of the cluster. */
async function authenticate(config: KubeConfig): Promise<AuthenticatedOptions> {
  const applied: AuthenticatedOptions = { headers: {} };
  try {
    await config.applyToHTTPSOptions(applied);
    return applied;
  } catch (error) {
    const text = sanitizeText(toErrorMessage(error));
    throw new SandboxError('cluster_unauthorized', `the credentials of the cluster cannot be read: ${text}`, {
      cause: error,
    });
  }
}

function parseServer(server: string): URL {
  if (URL.canParse(server) && /^https?:$/.test(new URL(server).protocol)) return new URL(server);
  throw new SandboxError('cluster_config', `the server of the cluster is no http or https URL: "${server}"`);
}

/** KubeConfig refuses plain http (a local `kubectl proxy`) unless verification is off; there is none to be had. */
function admitPlainHttp(config: KubeConfig, cluster: Cluster): void {
  const user = config.getCurrentUser();
  if (!cluster.server.startsWith('http:') || user === null) return;
  config.loadFromClusterAndUser({ ...cluster, skipTLSVerify: true }, user);
}

async function loadCurrent(source: ConfigSource): Promise<{ config: KubeConfig; cluster: Cluster }> {
  const config = await loadKubeConfig(source);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new SandboxError('cluster_config', 'the current context names no cluster');
  admitPlainHttp(config, cluster);
  return { config, cluster };
}

/**
 * Finds and loads the configuration of the cluster; opens no socket yet.
 *
 * @throws SandboxError `cluster_config`
 */
export async function openClusterConnection(options: ConnectionOptions): Promise<ClusterConnection> {
  const source = resolveConfigSource({ ...options, fileExists: existsSync });
  const first = await loadCurrent(source);
  const server = parseServer(first.cluster.server);
  const pool = createAgentPool(server);
  let current: Promise<{ config: KubeConfig; cluster: Cluster }> | null = Promise.resolve(first);

  return {
    server,
    async credentials() {
      current ??= loadCurrent(source);
      const loading = current;
      try {
        const { config, cluster } = await loading;
        const applied = await authenticate(config);
        const { ca, cert, key, servername, rejectUnauthorized, agent } = applied;
        // Behind a proxy-url the configuration's own agent knows the way.
        const isProxied = Boolean(cluster.proxyUrl) && typeof agent === 'object';
        return {
          headers: toHeaders(applied),
          agent: isProxied ? agent : pool.get({ ca, cert, key, servername, rejectUnauthorized }),
        };
      } catch (error) {
        if (current === loading) current = null;
        throw error;
      }
    },
    refresh() {
      current = null;
    },
    dropIdle: () => pool.dropIdle(),
    close: () => pool.close(),
  };
}
