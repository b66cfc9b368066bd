/** What a diagnosis looks up: events and logs. */
import { z } from 'zod';
import type { ListEventsOptions, PodLogOptions } from '../cluster-client.ts';
import { isClusterError } from '../cluster-error.ts';
import { clusterEventSchema } from '../objects/event.ts';
import type { ClusterEvent } from '../objects/event.ts';
import { listOf } from '../objects/metadata.ts';
import { buildTarget } from './call.ts';
import type { ClientContext } from './call.ts';
import { buildNamespacedPath, buildQuery } from './paths.ts';

const eventListSchema = z.object({ items: listOf(clusterEventSchema) });
const EVENT_LIMIT = 100;

function toTime({ lastTimestamp, series, eventTime, metadata }: ClusterEvent): number {
  const text = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
  return text ? Date.parse(text) : 0;
}

/** Events about one uid, oldest first. Served from the API server's cache, so that a diagnosis does not burden etcd. */
export async function listEvents(
  context: ClientContext,
  options: ListEventsOptions,
): Promise<readonly ClusterEvent[]> {
  const query = buildQuery({
    fieldSelector: `involvedObject.uid=${options.uid}`,
    limit: options.limit ?? EVENT_LIMIT,
    resourceVersion: 0,
  });
  const path = `${buildNamespacedPath(context.namespace, 'events')}${query}`;
  const target = buildTarget(context, 'list', { resource: 'events' });
  const { items } = await context.requester.json(
    { target, method: 'GET', path, schema: eventListSchema },
    options,
  );
  return items.toSorted((one, other) => toTime(one) - toTime(other));
}

/** The end of a container's log; null when there is none (any more, or yet). */
export async function readPodLog(
  context: ClientContext,
  name: string,
  options: PodLogOptions,
): Promise<string | null> {
  const { container, tailLines, limitBytes, previous } = options;
  const query = buildQuery({ container, tailLines, limitBytes, previous });
  const path = `${buildNamespacedPath(context.namespace, 'pods', name, 'log')}${query}`;
  const target = buildTarget(context, 'get', { resource: 'pods/log', name });
  try {
    // A Pod without a node answers with an empty log.
    return (await context.requester.text({ target, method: 'GET', path }, options)) || null;
  } catch (error) {
    // 400 while the container waits to start and when there was no previous one.
    if (isClusterError(error, 'not_found') || isClusterError(error, 'invalid')) return null;
    throw error;
  }
}
