/** The exit status of an error: the one translation from codes to numbers. */
import { EXIT, isSandboxError } from '@omnigent/protocol';
import type { ErrorCode } from '@omnigent/protocol';

const USAGE: ReadonlySet<ErrorCode> = new Set([
  'usage',
  'invalid_request',
  'invalid_repository',
  'invalid_config',
]);

/** 2 for what the caller got wrong, else `fallback`. */
export function toErrorStatus(error: unknown, fallback: number = EXIT.failure): number {
  return isSandboxError(error) && USAGE.has(error.code) ? EXIT.usage : fallback;
}
