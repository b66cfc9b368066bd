/** Errors on the wire: `application/problem+json` (RFC 9457). One translation each way. */
import * as z from 'zod';
import { ERRORS, SandboxError, isErrorCode, isSandboxError } from './errors.ts';
import type { ErrorCode } from './errors.ts';

export const PROBLEM_CONTENT_TYPE = 'application/problem+json';

export const problemSchema = z.object({
  /** `https://omnigent.ai/errors/CODE`; an identifier, not a promise of a page. */
  type: z.string(),
  title: z.string(),
  status: z.int(),
  /** What was expected and what was found. */
  detail: z.string(),
  code: z.string(),
  retryable: z.boolean(),
  /** What to do next. */
  advice: z.string(),
  request_id: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});
export type Problem = z.infer<typeof problemSchema>;

/** A problem document; anything that is not a {@link SandboxError} becomes `internal` without its text. */
export function toProblem(error: unknown, requestId?: string): Problem {
  const known = isSandboxError(error) ? error : new SandboxError('internal', 'an unexpected error occurred');
  const { status, title, retryable, advice } = ERRORS[known.code];
  return {
    type: `https://omnigent.ai/errors/${known.code}`,
    title,
    status,
    detail: known.message,
    code: known.code,
    retryable,
    advice,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(Object.keys(known.details).length === 0 ? {} : { details: { ...known.details } }),
  };
}

/**
 * The error of a problem document; an unknown code becomes `fallback` with the document's text.
 *
 * @param value parsed JSON of unknown shape.
 * @param fallback code for documents that are not ours (a proxy's page, a newer server's code).
 */
export function fromProblem(value: unknown, fallback: ErrorCode): SandboxError {
  const parsed = problemSchema.safeParse(value);
  if (!parsed.success) return new SandboxError(fallback, 'the answer is an error without a problem document');
  const { code, detail, details, request_id: requestId } = parsed.data;
  return new SandboxError(isErrorCode(code) ? code : fallback, detail, {
    details: { ...details, ...(requestId === undefined ? {} : { request_id: requestId }) },
  });
}
