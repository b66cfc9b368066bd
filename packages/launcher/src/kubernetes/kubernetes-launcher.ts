/** The `kubernetes` provider: a sandbox is a Pod whose entrypoint is the host. */
import { LABELS, SANDBOX_WORKSPACE, SandboxError } from '@omnigent/protocol';
import type {
  Clock,
  Diagnosis,
  Finding,
  Plan,
  PrepareWorkspace,
  RandomBytes,
  Repository,
} from '@omnigent/protocol';
import { openClusterClient } from '../open-cluster-client.ts';
import { SandboxCapabilityError } from '../port/errors.ts';
import type {
  CallOptions,
  Inspection,
  LaunchRequest,
  LauncherCapabilities,
  PlanOptions,
  PreflightOptions,
  ProviderObject,
  SandboxLauncher,
  StartHostOptions,
  StartedHost,
} from '../port/launcher.ts';
import type { ClusterClient } from './api/cluster-client.ts';
import { terminateSandbox } from './cleanup/terminate-sandbox.ts';
import type { KubernetesConfig } from './config/parse-config.ts';
import { inspectPod } from './launch/inspect-pod.ts';
import type { LaunchManifests } from './launch/launch-manifests.ts';
import { buildPlan, planWithAdmission } from './launch/plan.ts';
import { startHost } from './launch/start-host.ts';
import { watchHost } from './launch/watch-host.ts';
import { buildInstanceLabels, findAgentWarning } from './manifests/labels.ts';
import { buildPodManifest } from './manifests/pod.ts';
import { buildTokenSecretManifest } from './manifests/token-secret.ts';
import { buildPodName } from './names/object-names.ts';
import { checkCluster } from './preflight/check-cluster.ts';

export interface KubernetesLauncherOptions {
  readonly config: KubernetesConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly instance: string;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** For tests; otherwise found by the configuration when it is first needed. */
  readonly client?: ClusterClient;
}

const CAPABILITIES: LauncherCapabilities = {
  cli_bootstrap: false,
  local_port_forward: false,
  suspend: false,
  resume: false,
  durable_home: false,
  local_repositories: false,
  isolation: true,
};
const DEFAULT_CLONE_SECONDS = 3_600;

export class KubernetesLauncher implements SandboxLauncher {
  readonly provider = 'kubernetes';
  readonly capabilities = CAPABILITIES;
  readonly #options: KubernetesLauncherOptions;
  /** Opened when it is first needed: a plan needs no cluster. */
  #client: Promise<ClusterClient> | undefined;

  constructor(options: KubernetesLauncherOptions) {
    this.#options = options;
  }

  validate(request: Pick<LaunchRequest, 'repositories' | 'env' | 'agent' | 'hostConfig'>): void {
    const path = request.repositories.find(({ url }) => url.startsWith('/'))?.url;
    if (path !== undefined)
      throw new SandboxError(
        'invalid_repository',
        `repository "${path}" is a path of the server's machine; a Pod clones https://HOST/PATH or git@HOST:PATH only`,
      );
    // Building the manifest finds what a pod_template would weaken, before anything is stored.
    const probe = {
      sandboxId: '',
      hostId: '',
      hostName: 'check',
      token: '',
      serverUrl: 'http://server.invalid/',
      owner: '',
      lifetimeSeconds: 60,
      ...request,
    };
    this.#manifests('omnigent-check-000000', probe);
  }

  async provision(name: string): Promise<string> {
    return buildPodName(name, this.#options.randomBytes);
  }

  async startHost(
    providerId: string,
    request: LaunchRequest,
    options: StartHostOptions,
  ): Promise<StartedHost> {
    const { config, clock } = this.#options;
    await startHost(
      { client: await this.#connect(), config, clock },
      { manifests: this.#manifests(providerId, request), secrets: [request.token] },
      options,
    );
    const warning = findAgentWarning(request.agent);
    return {
      workspace: toWorkspace(request.repositories),
      prepare: config.workspace_prep === 'init' ? null : toPrepare(config, request.repositories),
      warnings: warning === undefined ? [] : [warning],
    };
  }

  async watchHost(
    providerId: string,
    { signal, hostId }: CallOptions & { readonly hostId: string },
  ): Promise<Diagnosis> {
    const { clock } = this.#options;
    return await watchHost({ client: await this.#connect(), podName: providerId, hostId, clock, signal });
  }

  async terminate(providerId: string, { signal }: CallOptions): Promise<void> {
    const { clock } = this.#options;
    await terminateSandbox({ client: await this.#connect(), podName: providerId, clock, signal });
  }

  async inspect(providerId: string, { signal }: CallOptions): Promise<Inspection> {
    return await inspectPod(await this.#connect(), providerId, signal);
  }

  async *list({ signal }: CallOptions): AsyncGenerator<ProviderObject> {
    const client = await this.#connect();
    for await (const { metadata } of client.listPods({
      labels: buildInstanceLabels(this.#options.instance),
      signal,
    })) {
      yield {
        providerId: metadata.name,
        hostId: metadata.labels[LABELS.hostId] ?? null,
        createdAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
      };
    }
  }

  async preflight(options: PreflightOptions): Promise<Finding[]> {
    const { config, instance } = this.#options;
    return await checkCluster({
      config,
      instance,
      signal: options.signal,
      connect: () => this.#connect(),
      pod: this.#manifests('omnigent-doctor-000000', toProbe(options)).pod,
    });
  }

  async plan(request: LaunchRequest, options: PlanOptions): Promise<Plan> {
    const manifests = this.#manifests(await this.provision(request.hostName), request);
    const plan =
      options.dryRun === 'server'
        ? await planWithAdmission(await this.#connect(), manifests, options.signal)
        : buildPlan(manifests);
    const warning = findAgentWarning(request.agent);
    return warning === undefined ? plan : { ...plan, warnings: [warning] };
  }

  async suspend(): Promise<void> {
    throw new SandboxCapabilityError('kubernetes', 'suspend');
  }

  async resume(): Promise<StartedHost> {
    throw new SandboxCapabilityError('kubernetes', 'resume');
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }

  async #connect(): Promise<ClusterClient> {
    const { config, environment, instance, clock, randomBytes, client } = this.#options;
    this.#client ??=
      client === undefined
        ? openClusterClient({
            environment,
            namespace: config.namespace,
            watchLabels: buildInstanceLabels(instance),
            clock,
            randomBytes,
            ...(config.kubeconfig === undefined ? {} : { kubeconfig: config.kubeconfig }),
            ...(config.in_cluster === undefined ? {} : { inCluster: config.in_cluster }),
          })
        : Promise.resolve(client);
    const opening = this.#client;
    // A failure is not kept: the configuration may be there the next time.
    opening.catch(() => (this.#client = undefined));
    return await opening;
  }

  #manifests(podName: string, request: LaunchRequest): LaunchManifests {
    const { config, instance } = this.#options;
    const { hostId, hostName, serverUrl, repositories, agent, env, hostConfig, lifetimeSeconds, token } =
      request;
    return {
      pod: buildPodManifest({
        config,
        podName,
        hostId,
        hostName,
        instance,
        serverUrl,
        repositories,
        env,
        lifetimeSeconds,
        ...(agent === undefined ? {} : { agent }),
        ...(hostConfig === undefined ? {} : { hostConfig }),
      }),
      secret: buildTokenSecretManifest({ namespace: config.namespace, podName, hostId, instance, token }),
    };
  }
}

function toWorkspace(repositories: readonly Repository[]): string {
  const [only] = repositories;
  return only !== undefined && repositories.length === 1
    ? `${SANDBOX_WORKSPACE}/${only.directory}`
    : SANDBOX_WORKSPACE;
}

function toPrepare(
  { git, stage_timeouts: timeouts }: KubernetesConfig,
  repositories: readonly Repository[],
): PrepareWorkspace {
  return {
    repositories: repositories.map(({ url, branch, directory }) => ({
      url,
      directory,
      ...(branch === undefined ? {} : { branch }),
    })),
    git: {
      submodules: git?.submodules ?? false,
      lfs: git?.lfs ?? 'skip',
      ...(git?.depth === undefined ? {} : { depth: git.depth }),
      ...(git?.filter === undefined ? {} : { filter: git.filter }),
    },
    timeout_seconds: timeouts?.cloning ?? DEFAULT_CLONE_SECONDS,
  };
}

function toProbe({ serverUrl }: PreflightOptions): LaunchRequest {
  return {
    sandboxId: '',
    hostId: 'h000000000000',
    hostName: 'doctor',
    token: '',
    serverUrl,
    repositories: [],
    owner: '',
    env: {},
    lifetimeSeconds: 60,
  };
}
