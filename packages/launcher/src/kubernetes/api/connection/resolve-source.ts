/** Decides where the cluster configuration comes from; reads no file beyond asking whether it exists. */
import path from 'node:path';
import { SandboxError } from '@omnigent/protocol';

/** Where the configuration comes from. */
export type ConfigSource =
  | {
      readonly type: 'in-cluster';
      readonly server: string;
      readonly tokenFile: string;
      readonly caFile: string;
    }
  | { readonly type: 'kubeconfig'; readonly files: readonly string[] };

export interface SourceOptions {
  /** `in_cluster` of the configuration: true only there, false never, undefined where it is possible. */
  readonly inCluster?: boolean | undefined;
  /** `kubeconfig` of the configuration; used when in-cluster is not. */
  readonly kubeconfig?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fileExists: (file: string) => boolean;
  /** Where Kubernetes mounts the ServiceAccount's token. */
  readonly serviceAccountDirectory?: string;
}

const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

type Resolved = ConfigSource | { readonly type: 'none'; readonly why: string };

function toServerUrl(host: string, port: string): string {
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function resolveInCluster(options: SourceOptions): Resolved {
  const { environment, fileExists, serviceAccountDirectory: directory = SERVICE_ACCOUNT_DIRECTORY } = options;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (!host) return { type: 'none', why: 'KUBERNETES_SERVICE_HOST is not set' };
  const tokenFile = path.join(directory, 'token');
  if (!fileExists(tokenFile)) return { type: 'none', why: `there is no token at ${tokenFile}` };
  return {
    type: 'in-cluster',
    server: toServerUrl(host, port),
    tokenFile,
    caFile: path.join(directory, 'ca.crt'),
  };
}

function resolveNamedFile(file: string, fileExists: SourceOptions['fileExists']): ConfigSource {
  if (fileExists(file)) return { type: 'kubeconfig', files: [file] };
  throw new SandboxError('cluster_config', `the configured kubeconfig ${file} does not exist`);
}

function resolveAmbientFiles({ environment, fileExists }: SourceOptions): Resolved {
  const listed = environment['KUBECONFIG']?.split(path.delimiter).filter((file) => file !== '') ?? [];
  if (listed.length > 0) {
    // As kubectl does: of several files those that do not exist are skipped.
    const files = listed.filter((file) => fileExists(file));
    return files.length > 0
      ? { type: 'kubeconfig', files }
      : { type: 'none', why: `KUBECONFIG names ${listed.join(', ')}, which does not exist` };
  }
  const home = environment['HOME'];
  const file = home ? path.join(home, '.kube', 'config') : null;
  if (file !== null && fileExists(file)) return { type: 'kubeconfig', files: [file] };
  return { type: 'none', why: `KUBECONFIG is not set and there is no ${file ?? '~/.kube/config'}` };
}

/**
 * Where the configuration of the cluster is: in-cluster, the configured kubeconfig, `KUBECONFIG`, or `~/.kube/config`.
 *
 * @throws SandboxError `cluster_config` that says what was looked for.
 */
export function resolveConfigSource(options: SourceOptions): ConfigSource {
  const inCluster: Resolved =
    options.inCluster === false ? { type: 'none', why: 'in_cluster is false' } : resolveInCluster(options);
  if (inCluster.type !== 'none') return inCluster;
  if (options.inCluster === true)
    throw new SandboxError(
      'cluster_config',
      `in_cluster is true, but this process does not run in a cluster with a ServiceAccount token: ${inCluster.why}`,
    );
  if (options.kubeconfig !== undefined) return resolveNamedFile(options.kubeconfig, options.fileExists);
  const ambient = resolveAmbientFiles(options);
  if (ambient.type !== 'none') return ambient;
  throw new SandboxError(
    'cluster_config',
    `no cluster configuration was found: not in a cluster (${inCluster.why}), and no kubeconfig (${ambient.why})`,
  );
}
