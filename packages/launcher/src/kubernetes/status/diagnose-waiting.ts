/** A container that waits: for its image, for its configuration, or for nothing that ever comes. */
import type { ContainerStatus, Pod } from '../api/objects/pod.ts';
import { classifyPull, isExplained } from './classify-pull.ts';
import { cleanText } from './clean-text.ts';
import { diagnoseMissing } from './diagnose-missing.ts';
import { buildFailure } from './failure.ts';
import type { Doubt } from './failure.ts';
import { findContainer, findLastEnd } from './find-containers.ts';

/** What a waiting container means: how long to be patient with what, and what to say meanwhile. */
export interface WaitingVerdict {
  /** A grace of 0 fails at once. */
  readonly doubt: Doubt | null;
  readonly detail: string | null;
  readonly isUnexplained: boolean;
}

const PATIENT: WaitingVerdict = { doubt: null, detail: null, isUnexplained: false };

/** The image may be loaded onto the node this moment. */
const NEVER_PULL_MS = 2_000;
/** Long enough for a second try of the kubelet, which comes after 10 s. */
const UNREACHABLE_MS = 15_000;
const CONFIG_MS = 5_000;
/** The kubelet could not look, which says nothing of what it looked for. */
const KUBELET_BUSY =
  /failed to sync \w+ cache|timed out|not registered|deadline exceeded|connection refused|TLS handshake|etcdserver|too many requests/i;
/** The runtime may still be ending an earlier try ("name is reserved"). */
const CREATE_MS = 10_000;

const PULL_REASONS: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'RegistryUnavailable',
  'ImageInspectError',
  'SignatureValidationFailed',
]);
const START_REASONS: ReadonlySet<string> = new Set([
  'CreateContainerError',
  'RunContainerError',
  'PreCreateHookError',
  'PreStartHookError',
  'PostStartHookError',
]);

/** What the registry said, without what the kubelet puts in front of it. */
function toPullText(message: string): string {
  return cleanText(message.replace(/^Back-off pulling image "[^"]*": (ErrImagePull: )?/, ''));
}

/** The doubt about a pull by its message; null for what the kubelet should go on trying. */
export function diagnosePull(
  message: string,
  container: { readonly name: string; readonly image: string },
): Doubt | null {
  const what = `the image ${container.image} of container ${container.name}`;
  const text = toPullText(message);
  switch (classifyPull(message, container.image)) {
    case 'name_invalid':
      return {
        failure: buildFailure('image_name_invalid', `${what} has no valid name: ${text}`),
        graceMs: 0,
      };
    case 'not_found':
      return { failure: buildFailure('image_not_found', `${what} was not found: ${text}`), graceMs: 0 };
    case 'unauthorized':
      return {
        failure: buildFailure('image_unauthorized', `${what} may not be pulled: ${text}`),
        graceMs: 0,
      };
    case 'unreachable':
      return {
        failure: buildFailure('registry_unreachable', `the registry of ${what} cannot be reached: ${text}`),
        graceMs: UNREACHABLE_MS,
      };
    case 'transient':
    case 'unknown':
      return null;
  }
}

function diagnoseConfig(message: string, name: string): Doubt | null {
  if (KUBELET_BUSY.test(message)) return null;
  const missing = diagnoseMissing(message, `container ${name}`);
  if (missing !== null) return missing;
  const hint = /runAsNonRoot/.test(message)
    ? ' (set a numeric runAsUser, or a numeric USER in the image)'
    : '';
  const text = `container ${name} cannot be configured: ${cleanText(message)}${hint}`;
  return { failure: buildFailure('container_config_invalid', text), graceMs: CONFIG_MS };
}

function diagnosePullWait(
  message: string,
  container: { readonly name: string; readonly image: string },
): WaitingVerdict {
  const doubt = diagnosePull(message, container);
  if (doubt !== null) return { doubt, detail: doubt.failure.message, isUnexplained: false };
  const isUnexplained = !isExplained(message);
  const text = message === '' ? 'the pull failed' : toPullText(message);
  return { doubt: null, detail: `still retrying the image of ${container.name}: ${text}`, isUnexplained };
}

/** What the waiting state of a container means; patient for every reason that is not known to be hopeless. */
export function diagnoseWaiting(pod: Pod, status: ContainerStatus): WaitingVerdict {
  const { reason = '', message = '' } = status.state.waiting ?? {};
  const { name } = status;
  const image = findContainer(pod, name)?.image ?? status.image ?? '';
  const toVerdict = (doubt: Doubt): WaitingVerdict => ({
    doubt,
    detail: doubt.failure.message,
    isUnexplained: false,
  });
  if (reason === 'InvalidImageName') {
    const text = `the image ${image} of container ${name} has no valid name: ${cleanText(message)}`;
    return toVerdict({ failure: buildFailure('image_name_invalid', text), graceMs: 0 });
  }
  if (reason === 'ErrImageNeverPull') {
    const text = `the image ${image} of container ${name} is not on the node and may not be pulled: ${cleanText(message)}`;
    return toVerdict({ failure: buildFailure('image_never_pull', text), graceMs: NEVER_PULL_MS });
  }
  if (PULL_REASONS.has(reason)) return diagnosePullWait(message, { name, image });
  if (reason === 'CreateContainerConfigError') {
    const doubt = diagnoseConfig(message, name);
    if (doubt !== null) return toVerdict(doubt);
    const detail = `still trying to configure ${name}: ${cleanText(message)}`;
    return { doubt: null, detail, isUnexplained: false };
  }
  if (START_REASONS.has(reason)) {
    const text = `container ${name} could not be started: ${reason}: ${cleanText(message)}`;
    return toVerdict({ failure: buildFailure('container_start_failed', text), graceMs: CREATE_MS });
  }
  return PATIENT;
}

/** A sidecar that the kubelet starts again and again holds up the host; patient, because it may come to run. */
export function diagnoseSidecar(pod: Pod, status: ContainerStatus): WaitingVerdict {
  const end = findLastEnd(status);
  if (!end) return diagnoseWaiting(pod, status);
  const facts = `${end.reason ?? 'Error'}, exit code ${end.exitCode}`;
  return {
    doubt: null,
    detail: `container ${status.name} ends before it is ready (${facts})`,
    isUnexplained: false,
  };
}
