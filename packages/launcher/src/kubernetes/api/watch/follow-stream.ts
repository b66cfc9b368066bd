/** One watch request, from its opening to its end. */
import type { IncomingMessage } from 'node:http';
import { SandboxError } from '@omnigent/protocol';
import type { ClientContext } from '../client/call.ts';
import { buildTarget } from '../client/call.ts';
import { buildLabelSelector, buildNamespacedPath, buildQuery } from '../client/paths.ts';
import { toAnswerError, toMalformedError } from '../fault/to-cluster-error.ts';
import type { ClusterRequest } from '../request/cluster-request.ts';
import { readLines } from './read-lines.ts';
import type { Silence } from './silence.ts';
import { parseWatchEvent } from './watch-event.ts';
import type { WatchEvent } from './watch-event.ts';

export interface FollowOptions {
  readonly labels: Readonly<Record<string, string>>;
  /** Events after this version. */
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
  readonly silence: Silence;
  readonly silenceDeadlineMs: number;
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
  readonly onEvent: (event: Exclude<WatchEvent, { type: 'error' }>) => void;
}

function buildWatchRequest(context: ClientContext, options: FollowOptions): ClusterRequest {
  const query = buildQuery({
    watch: true,
    allowWatchBookmarks: true,
    labelSelector: buildLabelSelector(options.labels),
    resourceVersion: options.resourceVersion,
    timeoutSeconds: options.timeoutSeconds,
  });
  return {
    target: buildTarget(context, 'watch', { resource: 'pods' }),
    method: 'GET',
    path: `${buildNamespacedPath(context.namespace, 'pods')}${query}`,
  };
}

function parseEvent(line: string, request: ClusterRequest): Exclude<WatchEvent, { type: 'error' }> {
  let event: WatchEvent;
  try {
    event = parseWatchEvent(line);
  } catch (error) {
    throw toMalformedError(error, request);
  }
  if (event.type !== 'error') return event;
  throw toAnswerError({ status: event.status, body: event.body, retryAfterMs: null }, request);
}

async function readEvents(
  response: IncomingMessage,
  request: ClusterRequest,
  { silence, onEvent }: FollowOptions,
): Promise<void> {
  const lines = readLines(response, () => silence.touch());
  for (;;) {
    // A reset ends the stream like any other end: nothing is lost, since it goes on at the last version.
    const line = await lines.next().catch(() => null);
    if (line === null || line.done === true) return;
    onEvent(parseEvent(line.value, request));
  }
}

/**
 * Resolves when the stream ends, is cut or has been silent for too long.
 *
 * @throws ClusterError when it cannot be opened, when the server ends it with an error (`expired` after a 410), or
 *   when a line is no event.
 */
export async function followStream(context: ClientContext, options: FollowOptions): Promise<void> {
  const request = buildWatchRequest(context, options);
  const ended = new AbortController();
  const cut = AbortSignal.any([options.signal, ended.signal]);
  options.silence.touch();
  const response = await context.requester.stream(request, cut);
  options.onOpen();
  options.silence.touch();
  options.silence.wait(options.silenceDeadlineMs, cut).then(
    () => ended.abort(new SandboxError('timeout', 'the watch was silent')),
    () => undefined,
  );
  try {
    await readEvents(response, request, options);
  } finally {
    ended.abort(new SandboxError('canceled', 'the watch ended'));
    response.destroy();
  }
}
