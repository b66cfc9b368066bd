/** The one point where anything that ends a launch becomes its {@link LaunchError}. */
import { isSandboxError, toErrorMessage } from '@omnigent/protocol';
import type { ErrorCode } from '@omnigent/protocol';
import { buildDiagnosis } from '../../port/diagnosis.ts';
import { LaunchError } from '../../port/errors.ts';
import { isClusterError } from '../api/cluster-error.ts';
import { OWN_CONTAINERS } from '../manifests/container-names.ts';
import type { LaunchTrail } from './launch-trail.ts';

/** Pod Security and quotas name every container that offends; those that are not ours were put in by somebody's webhook. */
function listInjected(error: unknown): string[] {
  if (!isClusterError(error)) return [];
  if (error.fault.kind !== 'pod_security' && error.fault.kind !== 'quota_unspecified') return [];
  return error.fault.containers.filter((name) => !OWN_CONTAINERS.includes(name));
}

/** A refusal of the cluster, or whatever else, with the stage it happened in. */
export function toLaunchError(
  error: unknown,
  { trail, podName }: { readonly trail: LaunchTrail; readonly podName: string },
): LaunchError {
  if (error instanceof LaunchError) return error;
  const code: ErrorCode = isSandboxError(error) ? error.code : 'launch_failed';
  const injected = listInjected(error);
  const hint = injected.length === 0 ? '' : ` (not ours, put in by admission: ${injected.join(', ')})`;
  const diagnosis = buildDiagnosis({
    code,
    message: `${toErrorMessage(error)}${hint}`,
    stage: trail.stage,
    stages: [...trail.records],
    provider_id: podName,
  });
  return new LaunchError(diagnosis, { cause: error });
}
