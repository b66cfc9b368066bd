/** The `kubernetes` provider: a sandbox is a Pod whose entrypoint is the host. */
import { LABELS } from '@omnigent/protocol';
import type { Diagnosis, Finding, Plan } from '@omnigent/protocol';
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
import {
  buildLaunchManifests,
  buildPrepare,
  checkRepositories,
  resolveWorkspace,
} from './launch/build-launch.ts';
import { inspectPod } from './launch/inspect-pod.ts';
import type { LaunchManifests } from './launch/launch-manifests.ts';
import { buildPlan, planWithAdmission } from './launch/plan.ts';
import { startHost } from './launch/start-host.ts';
import { watchHost } from './launch/watch-host.ts';
import { createLazyClient } from './lazy-client.ts';
import type { LazyClient, LazyClientOptions } from './lazy-client.ts';
import { buildInstanceLabels, findAgentWarning } from './manifests/labels.ts';
import { buildPodName } from './names/object-names.ts';
import { checkCluster } from './preflight/check-cluster.ts';
import { buildProbeRequest } from './preflight/probe-request.ts';
import { probeServer } from './preflight/probe-server.ts';

export type KubernetesLauncherOptions = LazyClientOptions;

const CAPABILITIES: LauncherCapabilities = {
  cli_bootstrap: false,
  local_port_forward: false,
  suspend: false,
  resume: false,
  durable_home: false,
  local_repositories: false,
  isolation: true,
};
/** Names of Pods that are never created. */
const CHECK_POD = 'omnigent-check-000000';
const DOCTOR_POD = 'omnigent-doctor-000000';

/** Only sequences: each method is one folder's work. */
export class KubernetesLauncher implements SandboxLauncher {
  readonly provider = 'kubernetes';
  readonly capabilities = CAPABILITIES;
  readonly #options: KubernetesLauncherOptions;
  readonly #client: LazyClient;

  constructor(options: KubernetesLauncherOptions) {
    this.#options = options;
    this.#client = createLazyClient(options);
  }

  get connectTimeoutMs(): number | undefined {
    const seconds = this.#options.config.stage_timeouts?.connecting;
    return seconds === undefined ? undefined : seconds * 1000;
  }

  validate(request: Pick<LaunchRequest, 'repositories' | 'env' | 'agent' | 'hostConfig'>): void {
    checkRepositories(request.repositories);
    // Building the manifest finds what a pod_template would weaken, before anything is stored.
    this.#manifests(CHECK_POD, { ...buildProbeRequest('http://server.invalid/'), ...request });
  }

  async provision(name: string): Promise<string> {
    return buildPodName(name, this.#options.randomBytes);
  }

  async startHost(podName: string, request: LaunchRequest, options: StartHostOptions): Promise<StartedHost> {
    const { config, clock } = this.#options;
    const { repositories, token, agent } = request;
    const manifests = this.#manifests(podName, request);
    const client = await this.#client.open();
    await startHost({ client, config, clock }, { manifests, secrets: [token] }, options);
    const warning = findAgentWarning(agent);
    return {
      workspace: resolveWorkspace(repositories),
      prepare: buildPrepare(config, repositories),
      warnings: warning === undefined ? [] : [warning],
    };
  }

  async watchHost(
    podName: string,
    { signal, hostId }: CallOptions & { readonly hostId: string },
  ): Promise<Diagnosis> {
    const { clock } = this.#options;
    return await watchHost({ client: await this.#client.open(), podName, hostId, clock, signal });
  }

  async terminate(podName: string, { signal }: CallOptions): Promise<void> {
    const { clock } = this.#options;
    await terminateSandbox({ client: await this.#client.open(), podName, clock, signal });
  }

  async inspect(podName: string, { signal }: CallOptions): Promise<Inspection> {
    return await inspectPod(await this.#client.open(), podName, signal);
  }

  async *list({ signal }: CallOptions): AsyncGenerator<ProviderObject> {
    const client = await this.#client.open();
    const labels = buildInstanceLabels(this.#options.instance);
    for await (const { metadata } of client.listPods({ labels, signal })) {
      yield {
        providerId: metadata.name,
        hostId: metadata.labels[LABELS.hostId] ?? null,
        createdAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
      };
    }
  }

  async preflight(options: PreflightOptions): Promise<Finding[]> {
    const { signal, deep, serverUrl } = options;
    return await checkCluster({
      config: this.#options.config,
      signal,
      connect: () => this.#client.open(),
      pod: this.#manifests(DOCTOR_POD, buildProbeRequest(serverUrl)).pod,
      probe: deep ? (client) => this.#probe(client, options) : null,
    });
  }

  async plan(request: LaunchRequest, { dryRun, signal }: PlanOptions): Promise<Plan> {
    const manifests = this.#manifests(await this.provision(request.hostName), request);
    const plan =
      dryRun === 'server'
        ? await planWithAdmission(await this.#client.open(), manifests, signal)
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
    await this.#client.close();
  }

  async #probe(client: ClusterClient, { signal, serverUrl }: PreflightOptions): Promise<Finding[]> {
    const { config, clock, randomBytes } = this.#options;
    const token = Buffer.from(randomBytes(32)).toString('base64url');
    const request = { ...buildProbeRequest(serverUrl), token };
    const manifests = this.#manifests(await this.provision(request.hostName), request);
    return await probeServer({ client, config, clock, manifests, hostId: request.hostId, serverUrl, signal });
  }

  #manifests(podName: string, request: LaunchRequest): LaunchManifests {
    const { config, instance } = this.#options;
    return buildLaunchManifests({ config, instance, podName }, request);
  }
}
