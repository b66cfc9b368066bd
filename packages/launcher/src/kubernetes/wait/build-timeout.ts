/** The failure of a stage that took too long: which, how long, and what held it up as far as anybody said. */
import type { ErrorCode } from '@omnigent/protocol';
import type { PodStage } from '../status/assessment.ts';
import { WORKSPACE_CONTAINER } from '../manifests/container-names.ts';
import { buildFailure } from '../status/failure.ts';
import type { Failure } from '../status/failure.ts';
import type { WaitState } from './wait-state.ts';

const TERMS: Readonly<Record<PodStage, { readonly code: ErrorCode; readonly what: string }>> = {
  scheduling: { code: 'schedule_timeout', what: 'no node took the Pod' },
  pulling: { code: 'pull_timeout', what: 'the image was not there' },
  cloning: { code: 'clone_timeout', what: 'the clone did not end' },
  starting: { code: 'start_timeout', what: 'the host did not start' },
};

function resolveTerms({ stage, events, detail }: WaitState): {
  readonly code: ErrorCode;
  readonly what: string;
} {
  // The status of an image says more than an older event about something else.
  if (stage !== 'pulling' || detail !== null) return TERMS[stage];
  if (events?.trouble === 'pod_sandbox')
    return { code: 'pod_sandbox_failed', what: 'the node did not set the Pod up' };
  return events?.trouble === 'volume'
    ? { code: 'volume_failed', what: 'a volume was not mounted' }
    : TERMS[stage];
}

/** The failure of a wait whose budget is spent. */
export function buildTimeout(state: WaitState, nowMs: number): Failure {
  const { code, what } = resolveTerms(state);
  const seconds = Math.round((nowMs - state.progressMs) / 1_000);
  const reason = state.detail ?? state.events?.detail ?? null;
  const noScaleUp = state.events?.noScaleUp ? `; ${state.events.noScaleUp}` : '';
  const message = `${what} within ${seconds} s${reason === null ? '' : `: ${reason}`}${noScaleUp}`;
  return buildFailure(code, message, {
    container: state.stage === 'cloning' ? WORKSPACE_CONTAINER : null,
    isRelaunchable: code === 'pod_sandbox_failed',
  });
}
