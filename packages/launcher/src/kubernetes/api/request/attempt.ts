/** One try of a request, with its deadline; failures of the network are {@link ClusterError}s afterwards. */
import type { IncomingMessage } from 'node:http';
import { isSandboxError, toCanceledError } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import type { ClusterConnection } from '../connection/cluster-connection.ts';
import { renderTarget } from '../fault/render-fault.ts';
import { toAnswerError, toDeadlineError, toNetworkError } from '../fault/to-cluster-error.ts';
import type { ClusterAnswer, ClusterRequest } from './cluster-request.ts';
import { parseRetryAfter } from './retry-after.ts';
import { openResponse, readAnswer } from './send-request.ts';
import { withDeadline } from './with-deadline.ts';

/** Every request has so long for all of it; a stream for its head. */
export const REQUEST_DEADLINE_MS = 10_000;

export interface AttemptOptions {
  readonly connection: ClusterConnection;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function attempt<T>(
  work: (signal: AbortSignal) => Promise<T>,
  request: ClusterRequest,
  { clock, signal }: AttemptOptions,
): Promise<T> {
  const toError = () => toDeadlineError(REQUEST_DEADLINE_MS, request);
  try {
    return await withDeadline(work, { clock, deadlineMs: REQUEST_DEADLINE_MS, signal, toError });
  } catch (error) {
    if (signal.aborted) throw toCanceledError(signal, renderTarget(request.target));
    throw isSandboxError(error) ? error : toNetworkError(error, request);
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function toError(answer: ClusterAnswer, request: ClusterRequest, clock: Clock): Error {
  const { status, body } = answer;
  const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], clock.now());
  return toAnswerError({ status, body, retryAfterMs }, request);
}

/** The body of a success. */
export async function attemptRequest(request: ClusterRequest, options: AttemptOptions): Promise<string> {
  const work = async (signal: AbortSignal) =>
    readAnswer(await openResponse(options.connection, request, signal));
  const answer = await attempt(work, request, options);
  if (isSuccess(answer.status)) return answer.body;
  throw toError(answer, request, options.clock);
}

/** The caller's signal stays with the response; the deadline lets go of it once its head is here. */
async function openHead(
  request: ClusterRequest,
  deadline: AbortSignal,
  { connection, signal }: AttemptOptions,
): Promise<IncomingMessage> {
  const cut = new AbortController();
  const abort = () => cut.abort(deadline.reason);
  deadline.addEventListener('abort', abort, { once: true });
  const response = await openResponse(connection, request, AbortSignal.any([signal, cut.signal]));
  deadline.removeEventListener('abort', abort);
  return response;
}

/** A stream whose head says success; the signal cuts it. */
export async function attemptStream(
  request: ClusterRequest,
  options: AttemptOptions,
): Promise<IncomingMessage> {
  const response = await attempt((deadline) => openHead(request, deadline, options), request, options);
  if (isSuccess(response.statusCode ?? 0)) return response;
  const answer = await attempt(() => readAnswer(response), request, options);
  throw toError(answer, request, options.clock);
}
