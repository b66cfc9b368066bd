/** A failure that was read off a Pod, before any evidence is gathered. */
import type { ErrorCode } from '@omnigent/protocol';

export interface Failure {
  readonly code: ErrorCode;
  /** What happened, with the facts: a sentence without a capital letter and without a full stop. */
  readonly message: string;
  /** The container whose log says more; null when none has run. */
  readonly container: string | null;
  /** Whether the same launch may succeed under a fresh name. */
  readonly isRelaunchable: boolean;
}

/** Builds a failure; relaunching does not help unless it is said. */
export function buildFailure(
  code: ErrorCode,
  message: string,
  facts: { readonly container?: string | null; readonly isRelaunchable?: boolean } = {},
): Failure {
  return { code, message, container: facts.container ?? null, isRelaunchable: facts.isRelaunchable ?? false };
}

/** A failure that counts only when it still stands after a while, because what is missing may just be late. */
export interface Doubt {
  readonly failure: Failure;
  readonly graceMs: number;
}
