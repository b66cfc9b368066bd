/** The one place where the cluster's answers and the network's failures become {@link ClusterError}s. */
import { toErrorMessage } from '@omnigent/protocol';
import { ClusterError } from '../cluster-error.ts';
import type { ClusterTarget } from '../cluster-error.ts';
import { classifyAnswer } from './classify-answer.ts';
import { classifyNetworkError } from './classify-network.ts';
import { renderFault, renderTarget, sanitizeText, cutText } from './render-fault.ts';
import { parseStatus } from './status.ts';

/** An answer as far as an error needs it. */
export interface FailedAnswer {
  readonly status: number;
  readonly body: string;
  /** From the header, in milliseconds. */
  readonly retryAfterMs: number | null;
}

/** What must not appear in a message, such as the values of a Secret that was sent. */
export interface ErrorContext {
  readonly target: ClusterTarget;
  readonly secrets?: readonly string[];
}

function toMessage(target: ClusterTarget, text: string): string {
  return `cannot ${renderTarget(target)}: ${text}`;
}

/** The error of an answer that is no success; the body may be anything. */
export function toAnswerError(answer: FailedAnswer, { target, secrets = [] }: ErrorContext): ClusterError {
  const parsed = parseStatus(answer.body);
  const own = sanitizeText(parsed?.message ?? answer.body, secrets);
  const status = parsed === null ? null : { ...parsed, message: own };
  const { fault, transient } = classifyAnswer(answer.status, status, target);
  const text = cutText(renderFault(fault) ?? own);
  const seconds = status?.details?.retryAfterSeconds;
  return new ClusterError(
    toMessage(target, `${text === '' ? 'no explanation' : text} (status ${answer.status})`),
    {
      target,
      fault,
      transient,
      status: answer.status,
      reason: status?.reason ?? null,
      retryAfterMs: answer.retryAfterMs ?? (seconds ? seconds * 1000 : null),
    },
  );
}

/** The error of a request that got no answer. */
export function toNetworkError(error: unknown, { target, secrets = [] }: ErrorContext): ClusterError {
  return new ClusterError(toMessage(target, cutText(sanitizeText(toErrorMessage(error), secrets))), {
    target,
    ...classifyNetworkError(error),
    cause: error,
  });
}

/** The error of a request that got no answer in time. */
export function toDeadlineError(deadlineMs: number, { target }: ErrorContext): ClusterError {
  return new ClusterError(toMessage(target, `no answer within ${deadlineMs / 1000} s`), {
    target,
    fault: { kind: 'timeout', deadlineMs },
    transient: true,
  });
}

/** The error of an answer that says success and is none: wrong shape, broken JSON, a proxy's page. */
export function toMalformedError(cause: unknown, { target, secrets = [] }: ErrorContext): ClusterError {
  const text = cutText(sanitizeText(toErrorMessage(cause), secrets));
  return new ClusterError(toMessage(target, `the answer is not what an API server sends: ${text}`), {
    target,
    fault: { kind: 'answer' },
    cause,
  });
}
