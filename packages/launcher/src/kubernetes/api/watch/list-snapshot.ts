/** A consistent list of the watched Pods, in pages. */
import { isClusterError } from '../cluster-error.ts';
import type { ClientContext } from '../client/call.ts';
import { buildTarget } from '../client/call.ts';
import { buildLabelSelector, buildNamespacedPath, buildQuery } from '../client/paths.ts';
import { podListSchema } from '../client/pods.ts';
import type { Pod } from '../objects/pod.ts';
import type { PodSnapshot } from './pod-store.ts';

export interface SnapshotOptions {
  readonly labels: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const PAGE_SIZE = 500;

async function listPages(
  context: ClientContext,
  { labels, signal }: SnapshotOptions,
  limit: number | undefined,
): Promise<PodSnapshot> {
  const pods: Pod[] = [];
  let resourceVersion = '';
  let next: string | undefined;
  do {
    const query = buildQuery({ labelSelector: buildLabelSelector(labels), limit, continue: next });
    const request = {
      target: buildTarget(context, 'list', { resource: 'pods' }),
      method: 'GET',
      path: `${buildNamespacedPath(context.namespace, 'pods')}${query}`,
      schema: podListSchema,
    } as const;
    // One try: the watch has a backoff of its own, which outlives any budget.
    const page = await context.requester.json(request, { signal, retryForMs: 0 });
    pods.push(...page.items);
    resourceVersion ||= page.metadata.resourceVersion;
    next = page.metadata.continue;
  } while (next !== '');
  return { resourceVersion, pods };
}

/** Lists everything; when a page token expires on the way, once more without pages. */
export async function listSnapshot(context: ClientContext, options: SnapshotOptions): Promise<PodSnapshot> {
  try {
    return await listPages(context, options, PAGE_SIZE);
  } catch (error) {
    if (!isClusterError(error, 'expired')) throw error;
    return listPages(context, options, undefined);
  }
}
