/** Requests with everything that belongs to each of them: credentials, deadline, retries, errors, a checked shape. */
import type { IncomingMessage } from 'node:http';
import { toCanceledError } from '@omnigent/protocol';
import type { Clock, RandomBytes } from '@omnigent/protocol';
import type { z } from 'zod';
import type { ClusterCallOptions } from '../cluster-client.ts';
import { ClusterError, isClusterError } from '../cluster-error.ts';
import type { ClusterConnection } from '../connection/cluster-connection.ts';
import { renderTarget } from '../fault/render-fault.ts';
import { toMalformedError } from '../fault/to-cluster-error.ts';
import { attemptRequest, attemptStream } from './attempt.ts';
import type { ClusterRequest } from './cluster-request.ts';
import { createOutageMemory } from './outage-memory.ts';
import { retryTransient } from './retry.ts';

const RETRY_FOR_MS = 30_000;

export interface RequesterOptions {
  readonly connection: ClusterConnection;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/** A request whose answer has a known shape. */
export type TypedRequest<T extends z.ZodType> = ClusterRequest & { readonly schema: T };

export interface Requester {
  /** The body of a success; throws {@link ClusterError}, or `canceled` when the signal aborts. */
  text(request: ClusterRequest, options: ClusterCallOptions): Promise<string>;
  /** The body of a success, parsed. */
  json<T extends z.ZodType>(request: TypedRequest<T>, options: ClusterCallOptions): Promise<z.infer<T>>;
  /** A stream whose head says success, in one try; the signal cuts it. */
  stream(request: ClusterRequest, signal: AbortSignal): Promise<IncomingMessage>;
}

const NOT_SENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;

/** Whether the server may have done what the failed try asked. */
function mayHaveArrived({ fault }: ClusterError): boolean {
  if (fault.kind === 'unreachable') return !NOT_SENT.test(fault.systemCode ?? '');
  return fault.kind === 'timeout' || fault.kind === 'unavailable';
}

/** After a try that may have arrived, "already exists" may speak of our own object. */
function markUnsure(error: unknown, failures: readonly ClusterError[]): unknown {
  if (!(error instanceof ClusterError) || error.fault.kind !== 'already_exists') return error;
  if (!failures.some(mayHaveArrived)) return error;
  const { verb, resource, namespace, objectName, status, reason } = error;
  return new ClusterError(error.message, {
    target: { verb, resource, namespace, name: objectName },
    fault: { ...error.fault, unsure: true },
    status,
    reason,
  });
}

function dropDeadSockets(error: unknown, connection: ClusterConnection): void {
  if (isClusterError(error, 'timeout') || isClusterError(error, 'unreachable')) connection.dropIdle();
}

function parseJson<T extends z.ZodType>(body: string, request: TypedRequest<T>): z.infer<T> {
  try {
    return request.schema.parse(JSON.parse(body));
  } catch (error) {
    throw toMalformedError(error, request);
  }
}

/** A requester over one connection. */
export function createRequester({ connection, clock, randomBytes }: RequesterOptions): Requester {
  const refreshCredentials = () => connection.refresh();
  const outage = createOutageMemory(clock);

  /** One try of anything, with what it tells of the server's health. */
  async function observe<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      outage.noteAnswer();
      return result;
    } catch (error) {
      dropDeadSockets(error, connection);
      const judged = error instanceof ClusterError ? outage.judge(error) : error;
      // Only a 401 as such makes the retry read the credentials again.
      if (judged !== error) refreshCredentials();
      throw judged;
    }
  }

  async function text(request: ClusterRequest, options: ClusterCallOptions): Promise<string> {
    const { signal, retryForMs = RETRY_FOR_MS } = options;
    const attempt = async (failures: readonly ClusterError[]) => {
      try {
        return await observe(() => attemptRequest(request, { connection, clock, signal }));
      } catch (error) {
        throw markUnsure(error, failures);
      }
    };
    try {
      return await retryTransient(attempt, { clock, randomBytes, signal, retryForMs, refreshCredentials });
    } catch (error) {
      if (signal.aborted) throw toCanceledError(signal, renderTarget(request.target));
      throw error;
    }
  }

  return {
    text,
    json: async (request, options) => parseJson(await text(request, options), request),
    async stream(request, signal) {
      try {
        return await observe(() => attemptStream(request, { connection, clock, signal }));
      } catch (error) {
        if (isClusterError(error, 'unauthorized')) refreshCredentials();
        throw error;
      }
    },
  };
}
