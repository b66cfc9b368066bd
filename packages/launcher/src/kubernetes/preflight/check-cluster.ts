/** Checks of cluster, rights and admission before they matter. Every check is a finding; none throws. */
import { ERRORS, isSandboxError, toErrorMessage } from '@omnigent/protocol';
import type { Finding } from '@omnigent/protocol';
import type { ClusterClient } from '../api/cluster-client.ts';
import { isClusterError } from '../api/cluster-error.ts';
import type { KubernetesConfig } from '../config/parse-config.ts';
import type { PodManifest } from '../manifests/pod-manifest.ts';
import { RIGHTS } from '../rights/rights.ts';
import { checkHeadroom } from './headroom.ts';

export interface CheckOptions {
  readonly config: KubernetesConfig;
  readonly instance: string;
  readonly signal: AbortSignal;
  readonly connect: () => Promise<ClusterClient>;
  /** The Pod of a launch, for the dry run. */
  readonly pod: PodManifest;
}

type Check = (client: ClusterClient, options: CheckOptions) => Promise<Finding[]>;

const ok = (code: string, message: string): Finding => ({ code, severity: 'ok', message, advice: null });
const PSA_LABEL = 'pod-security.kubernetes.io/enforce';

/** An error as a finding; what could not be looked at is `unknown`, not wrong. */
export function toFinding(code: string, error: unknown): Finding {
  const severity = isClusterError(error, 'forbidden') ? 'unknown' : 'error';
  return {
    code,
    severity,
    message: toErrorMessage(error),
    advice: isSandboxError(error) ? error.advice : ERRORS.cluster_unreachable.advice,
  };
}

const checkVersion: Check = async (client, { signal }) => [
  ok('cluster', `Kubernetes ${(await client.readVersion({ signal })).gitVersion} at ${client.server}`),
];

const checkRights: Check = async (client, { signal }) => {
  const questions = RIGHTS.flatMap(({ resource, verbs }) => verbs.map((verb) => ({ verb, resource })));
  return await Promise.all(
    questions.map(async ({ verb, resource }): Promise<Finding> => {
      const { allowed } = await client.checkAccess({ verb, resource }, { signal });
      const what = `${verb} ${resource} in namespace ${client.namespace}`;
      if (allowed) return ok('right', what);
      return {
        code: 'right',
        severity: 'error',
        message: `missing right: ${what}`,
        advice: ERRORS.cluster_forbidden.advice,
      };
    }),
  );
};

const checkNamespace: Check = async (client, { signal }) => {
  const namespace = await client.readNamespace({ signal });
  if (namespace === null) {
    return [
      {
        code: 'namespace',
        severity: 'error',
        message: `namespace ${client.namespace} does not exist`,
        advice: ERRORS.namespace_not_found.advice,
      },
    ];
  }
  if (namespace.status?.phase === 'Terminating') {
    return [
      {
        code: 'namespace',
        severity: 'error',
        message: `namespace ${client.namespace} is being deleted`,
        advice: ERRORS.namespace_terminating.advice,
      },
    ];
  }
  const level = namespace.metadata.labels[PSA_LABEL];
  const isEnforced = level === 'restricted';
  return [
    ok('namespace', `namespace ${client.namespace} exists`),
    isEnforced
      ? ok('pod_security', 'Pod Security restricted is enforced')
      : {
          code: 'pod_security',
          severity: 'warning',
          message: `Pod Security of namespace ${client.namespace}: expected enforce=restricted, found ${level ?? 'none'}`,
          advice: `Label the namespace: kubectl label namespace ${client.namespace} ${PSA_LABEL}=restricted`,
        },
  ];
};

const checkServiceAccount: Check = async (client, { signal, config }) => {
  const account = await client.readServiceAccount(config.service_account, { signal });
  if (account !== null) return [ok('service_account', `ServiceAccount ${config.service_account} exists`)];
  return [
    {
      code: 'service_account',
      severity: 'error',
      message: `ServiceAccount ${config.service_account} does not exist in namespace ${client.namespace}`,
      advice: ERRORS.service_account_not_found.advice,
    },
  ];
};

const checkAdmission: Check = async (client, { signal, pod }) => {
  await client.dryRunPod(pod, { signal });
  return [ok('admission', 'the cluster would admit the Pod of a sandbox')];
};

const CHECKS: readonly (readonly [string, Check])[] = [
  ['right', checkRights],
  ['namespace', checkNamespace],
  ['service_account', checkServiceAccount],
  ['headroom', checkHeadroom],
  ['admission', checkAdmission],
];

/** All findings, in a fixed order. */
export async function checkCluster(options: CheckOptions): Promise<Finding[]> {
  const first = ok(
    'configuration',
    `namespace ${options.config.namespace}, image ${options.config.image}, workspace by ${options.config.workspace_prep}`,
  );
  let client: ClusterClient;
  try {
    client = await options.connect();
    first.message += `, API server ${client.server}`;
    const version = await checkVersion(client, options);
    const rest = await Promise.all(
      CHECKS.map(([code, check]) =>
        check(client, options).catch((error: unknown) => [toFinding(code, error)]),
      ),
    );
    return [first, ...version, ...rest.flat()];
  } catch (error) {
    return [first, toFinding('cluster', error)];
  }
}
