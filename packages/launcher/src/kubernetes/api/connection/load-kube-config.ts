/**
 * Loads a source with the official client's KubeConfig: its formats, exec plugins and token files, and nothing else of
 * it. Imported on first use, because that import costs 0.4 s and 70 MB.
 */
import type { KubeConfig } from '@kubernetes/client-node';
import { SandboxError, toErrorMessage } from '@omnigent/protocol';
import { applyTokenFiles } from './read-token-files.ts';
import type { ConfigSource } from './resolve-source.ts';

type KubeConfigClass = new () => KubeConfig;

function loadInCluster(config: KubeConfig, source: Extract<ConfigSource, { type: 'in-cluster' }>): void {
  config.loadFromClusterAndUser(
    { name: 'in-cluster', server: source.server, caFile: source.caFile, skipTLSVerify: false },
    // Read again every minute: the kubelet replaces bound tokens before they expire.
    { name: 'service-account', authProvider: { name: 'tokenFile', config: { tokenFile: source.tokenFile } } },
  );
}

/** As kubectl merges: what an earlier file says wins. */
function mergeMissing(config: KubeConfig, other: KubeConfig): void {
  for (const cluster of other.clusters)
    if (config.getCluster(cluster.name) === null) config.addCluster(cluster);
  for (const user of other.users) if (config.getUser(user.name) === null) config.addUser(user);
  for (const context of other.contexts)
    if (config.getContextObject(context.name) === null) config.addContext(context);
  if (!config.getCurrentContext() && other.getCurrentContext())
    config.setCurrentContext(other.getCurrentContext());
}

function loadFiles(config: KubeConfig, files: readonly string[], Config: KubeConfigClass): void {
  const [first = '', ...others] = files;
  config.loadFromFile(first);
  applyTokenFiles(config, first);
  for (const file of others) {
    const other = new Config();
    other.loadFromFile(file);
    applyTokenFiles(other, file);
    mergeMissing(config, other);
  }
}

function describeSource(source: ConfigSource): string {
  return source.type === 'kubeconfig' ? source.files.join(', ') : `the ServiceAccount of ${source.server}`;
}

/** A fresh, isolated configuration whose current context names a cluster. */
export async function loadKubeConfig(source: ConfigSource): Promise<KubeConfig> {
  const { KubeConfig: Config } = await import('@kubernetes/client-node');
  const config = new Config();
  try {
    if (source.type === 'in-cluster') loadInCluster(config, source);
    else loadFiles(config, source.files, Config);
  } catch (error) {
    throw new SandboxError(
      'cluster_config',
      `${describeSource(source)} cannot be read as a kubeconfig: ${toErrorMessage(error)}`,
      { cause: error },
    );
  }
  if (config.getCurrentCluster()?.server) return config;
  throw new SandboxError(
    'cluster_config',
    `${describeSource(source)} has no cluster for its current context "${config.getCurrentContext() ?? ''}"`,
  );
}
