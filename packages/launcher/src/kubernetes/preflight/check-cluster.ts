/** Checks of cluster, rights and admission before they matter. Every check is a finding; none throws. */
import type { Finding } from '@omnigent/protocol';
import type { ClusterClient } from '../api/cluster-client.ts';
import type { KubernetesConfig } from '../config/parse-config.ts';
import type { PodManifest } from '../manifests/pod-manifest.ts';
import type { Check, CheckContext } from './check.ts';
import { checkHeadroom } from './check-headroom.ts';
import { checkNamespace } from './check-namespace.ts';
import { checkPodSecurity } from './check-pod-security.ts';
import { checkReferences } from './check-references.ts';
import { checkRights } from './check-rights.ts';
import { checkServiceAccount } from './check-service-account.ts';
import { buildOk, toFinding } from './finding.ts';

export interface CheckOptions {
  readonly config: KubernetesConfig;
  readonly signal: AbortSignal;
  readonly connect: () => Promise<ClusterClient>;
  /** The Pod of a launch, for the dry run. */
  readonly pod: PodManifest;
  /** Starts a sandbox for a moment; null when that was not asked for. */
  readonly probe: ((client: ClusterClient) => Promise<readonly Finding[]>) | null;
}

const CHECKS: readonly (readonly [string, Check])[] = [
  ['right', checkRights],
  ['namespace', checkNamespace],
  ['pod_security', checkPodSecurity],
  ['service_account', checkServiceAccount],
  ['secret', checkReferences],
  ['headroom', checkHeadroom],
];

function describeConfig({ namespace, image, workspace_prep: prep }: KubernetesConfig): Finding {
  return buildOk('configuration', `namespace ${namespace}, image ${image}, workspace made by ${prep}`);
}

/** Whether the cluster would take the Pod of a sandbox, quotas, webhooks and all. */
async function checkAdmission(client: ClusterClient, { pod, signal }: CheckOptions): Promise<Finding> {
  return await client.dryRunPod(pod, { signal }).then(
    () => buildOk('admission', 'the cluster would take the Pod of a sandbox'),
    (error: unknown): Finding => ({ ...toFinding('admission', error), severity: 'error' }),
  );
}

async function runChecks(client: ClusterClient, options: CheckOptions): Promise<Finding[]> {
  const { config, pod, signal } = options;
  const admission = await checkAdmission(client, options);
  const context: CheckContext = { client, config, pod, signal, isAdmitted: admission.severity === 'ok' };
  const findings = await Promise.all(
    CHECKS.map(([code, check]) =>
      check(context).catch((error: unknown): readonly Finding[] => [toFinding(code, error)]),
    ),
  );
  return [...findings.flat(), admission];
}

async function runProbe(client: ClusterClient, { probe }: CheckOptions): Promise<readonly Finding[]> {
  if (probe === null) return [];
  return await probe(client).catch((error: unknown) => [toFinding('probe', error)]);
}

/** All findings, in a fixed order; those of a cluster that cannot be reached end with that. */
export async function checkCluster(options: CheckOptions): Promise<Finding[]> {
  const { config, signal } = options;
  const first = describeConfig(config);
  try {
    const client = await options.connect();
    const { gitVersion } = await client.readVersion({ signal });
    const cluster = buildOk('cluster', `Kubernetes ${gitVersion} at ${client.server}`);
    const findings = await runChecks(client, options);
    return [first, cluster, ...findings, ...(await runProbe(client, options))];
  } catch (error) {
    signal.throwIfAborted();
    return [first, { ...toFinding('cluster', error), severity: 'error' }];
  }
}
