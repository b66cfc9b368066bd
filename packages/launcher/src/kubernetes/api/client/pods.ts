/** Pods: create, read, delete, list. */
import { z } from 'zod';
import type { ClusterCallOptions, ListPodsOptions, Manifest } from '../cluster-client.ts';
import { isClusterError } from '../cluster-error.ts';
import { listMetadataSchema, listOf } from '../objects/metadata.ts';
import { podSchema } from '../objects/pod.ts';
import type { Pod } from '../objects/pod.ts';
import { buildTarget, nullWhenMissing } from './call.ts';
import type { ClientContext } from './call.ts';
import { buildLabelSelector, buildNamespacedPath, buildQuery } from './paths.ts';

export const podListSchema = z.object({ metadata: listMetadataSchema, items: listOf(podSchema) });

const PAGE_SIZE = 200;

export async function getPod(
  context: ClientContext,
  name: string,
  options: ClusterCallOptions,
): Promise<Pod | null> {
  const target = buildTarget(context, 'get', { resource: 'pods', name });
  const path = buildNamespacedPath(context.namespace, 'pods', name);
  return nullWhenMissing(context.requester.json({ target, method: 'GET', path, schema: podSchema }, options));
}

const labelledSchema = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()).default({}) }),
});

/** Whether a Pod carries every label of the manifest and is not on its way out. */
function isCreatedFrom(pod: Pod, manifest: Manifest): boolean {
  const { labels } = labelledSchema.parse(manifest).metadata;
  const entries = Object.entries(labels);
  return (
    entries.length > 0 &&
    !pod.metadata.deletionTimestamp &&
    entries.every(([key, value]) => pod.metadata.labels[key] === value)
  );
}

export async function createPod(
  context: ClientContext,
  manifest: Manifest,
  options: ClusterCallOptions,
): Promise<Pod> {
  const { name } = manifest.metadata;
  const target = buildTarget(context, 'create', { resource: 'pods', name });
  const path = buildNamespacedPath(context.namespace, 'pods');
  try {
    const request = { target, method: 'POST', path, body: manifest, schema: podSchema } as const;
    return await context.requester.json(request, options);
  } catch (error) {
    if (!isClusterError(error, 'already_exists')) throw error;
    if (error.fault.kind !== 'already_exists' || !error.fault.unsure) throw error;
    const found = await getPod(context, name, options);
    if (found !== null && isCreatedFrom(found, manifest)) return found;
    throw error;
  }
}

/** The Pod as admission would store it. */
export async function dryRunPod(
  context: ClientContext,
  manifest: Manifest,
  options: ClusterCallOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const target = buildTarget(context, 'create', { resource: 'pods', name: manifest.metadata.name });
  const path = `${buildNamespacedPath(context.namespace, 'pods')}${buildQuery({ dryRun: 'All' })}`;
  const schema = z.record(z.string(), z.unknown());
  return context.requester.json({ target, method: 'POST', path, body: manifest, schema }, options);
}

/** Pages of Pods. A page token that expired on the way ends the list with the error, never with half of it in silence. */
export async function* listPods(context: ClientContext, options: ListPodsOptions): AsyncGenerator<Pod> {
  const { labels, pageSize = PAGE_SIZE } = options;
  const target = buildTarget(context, 'list', { resource: 'pods' });
  let next: string | undefined;
  do {
    const query = buildQuery({ labelSelector: buildLabelSelector(labels), limit: pageSize, continue: next });
    const path = `${buildNamespacedPath(context.namespace, 'pods')}${query}`;
    const page = await context.requester.json(
      { target, method: 'GET', path, schema: podListSchema },
      options,
    );
    yield* page.items;
    next = page.metadata.continue;
  } while (next !== '');
}
