/** Which profile of Pod Security is enforced: told by what the namespace refuses, so that it need not be read. */
import { isClusterError } from '../api/cluster-error.ts';
import type { PodManifest } from '../manifests/pod-manifest.ts';
import type { Check } from './check.ts';
import { buildOk, buildUnknown } from './finding.ts';

/** What no profile but `privileged` admits; only ever sent as a dry run. */
function buildOffendingPod({ metadata, ...pod }: PodManifest): PodManifest {
  return {
    ...pod,
    metadata: { ...metadata, name: `${metadata.name}-x` },
    spec: { ...pod.spec, hostNetwork: true },
  };
}

export const checkPodSecurity: Check = async ({ client, pod, isAdmitted, signal }) => {
  if (!isAdmitted) return [buildUnknown('pod_security', 'not known while the Pod of a sandbox is refused')];
  const found = await client.dryRunPod(buildOffendingPod(pod), { signal }).then(
    () => 'none',
    (error: unknown) => {
      if (!isClusterError(error, 'pod_security') || error.fault.kind !== 'pod_security') throw error;
      return error.fault.policy;
    },
  );
  if (found.startsWith('restricted')) return [buildOk('pod_security', `Pod Security "${found}" is enforced`)];
  const label = 'pod-security.kubernetes.io/enforce=restricted';
  return [
    {
      code: 'pod_security',
      severity: 'warning',
      message: `Pod Security of namespace ${client.namespace}: expected "restricted" to be enforced, found "${found}"`,
      advice: `Label the namespace: kubectl label namespace ${client.namespace} ${label}`,
    },
  ];
};
