/** Findings: what a check says. */
import { ERRORS, isSandboxError, toErrorMessage } from '@omnigent/protocol';
import type { ErrorCode, Finding } from '@omnigent/protocol';
import { isClusterError } from '../api/cluster-error.ts';

/** All is well. */
export function buildOk(code: string, message: string): Finding {
  return { code, severity: 'ok', message, advice: null };
}

/** Something that a launch will meet; the advice is that of the code it would fail with. */
export function buildProblem(code: string, message: string, cause: ErrorCode): Finding {
  return { code, severity: 'error', message, advice: ERRORS[cause].advice };
}

/** What could not be looked at, because it may not be; a launch does without. */
export function buildUnknown(code: string, message: string): Finding {
  return { code, severity: 'unknown', message, advice: null };
}

/** An error of a check as its finding: what may not be looked at is `unknown`, not wrong. */
export function toFinding(code: string, error: unknown): Finding {
  if (isClusterError(error, 'forbidden')) return buildUnknown(code, toErrorMessage(error));
  const advice = isSandboxError(error) ? error.advice : ERRORS.cluster_unreachable.advice;
  return { code, severity: 'error', message: toErrorMessage(error), advice };
}
