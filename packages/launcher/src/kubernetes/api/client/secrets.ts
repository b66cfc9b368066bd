/** Secrets: create, own, delete; none is ever read (the server has no right to). */
import { z } from 'zod';
import type { ClusterCallOptions, Manifest, PodOwner } from '../cluster-client.ts';
import { isClusterError } from '../cluster-error.ts';
import { buildTarget, nullWhenMissing } from './call.ts';
import type { ClientContext } from './call.ts';
import { buildNamespacedPath, buildQuery } from './paths.ts';

const valuesSchema = z.object({
  stringData: z.record(z.string(), z.string()).default({}),
  data: z.record(z.string(), z.string()).default({}),
});

/** The values of a Secret as it is stored: base64 by key. */
function toStoredData(manifest: Manifest): Record<string, string> {
  const { stringData, data } = valuesSchema.parse(manifest);
  const encoded = Object.entries(stringData).map(([key, value]) => [
    key,
    Buffer.from(value, 'utf8').toString('base64'),
  ]);
  return { ...data, ...Object.fromEntries(encoded) };
}

function listSecretTexts(manifest: Manifest): string[] {
  const { stringData, data } = valuesSchema.parse(manifest);
  const decoded = Object.values(data).map((value) => Buffer.from(value, 'base64').toString('utf8'));
  return [
    ...Object.values(stringData),
    ...Object.values(data),
    ...decoded,
    ...Object.values(toStoredData(manifest)),
  ];
}

/**
 * Whether the Secret of that name holds exactly what we sent: a patch that changes nothing and is refused unless each
 * value is ours. The one way to know without the right to read.
 */
async function hasOurValues(
  context: ClientContext,
  manifest: Manifest,
  options: ClusterCallOptions,
): Promise<boolean> {
  const { name } = manifest.metadata;
  const stored = toStoredData(manifest);
  const tests = Object.entries(stored).map(([key, value]) => ({
    op: 'test',
    path: `/data/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    value,
  }));
  try {
    await context.requester.text(
      {
        target: buildTarget(context, 'patch', { resource: 'secrets', name }),
        method: 'PATCH',
        path: buildNamespacedPath(context.namespace, 'secrets', name),
        contentType: 'application/json-patch+json',
        body: tests,
        secrets: listSecretTexts(manifest),
      },
      options,
    );
    return true;
  } catch (error) {
    if (isClusterError(error, 'invalid') || isClusterError(error, 'not_found')) return false;
    throw error;
  }
}

export async function createSecret(
  context: ClientContext,
  manifest: Manifest,
  options: ClusterCallOptions,
): Promise<void> {
  const target = buildTarget(context, 'create', { resource: 'secrets', name: manifest.metadata.name });
  const path = buildNamespacedPath(context.namespace, 'secrets');
  const secrets = listSecretTexts(manifest);
  try {
    await context.requester.text({ target, method: 'POST', path, body: manifest, secrets }, options);
  } catch (error) {
    if (!isClusterError(error, 'already_exists')) throw error;
    if (error.fault.kind !== 'already_exists' || !error.fault.unsure) throw error;
    if (await hasOurValues(context, manifest, options)) return;
    throw error;
  }
}

/** Makes a Pod the owner; false when there is no such Secret. */
export async function setSecretOwner(
  context: ClientContext,
  { name, owner }: { readonly name: string; readonly owner: PodOwner },
  options: ClusterCallOptions,
): Promise<boolean> {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: owner.name, uid: owner.uid }];
  const patched = await nullWhenMissing(
    context.requester.text(
      {
        target: buildTarget(context, 'patch', { resource: 'secrets', name }),
        method: 'PATCH',
        path: buildNamespacedPath(context.namespace, 'secrets', name),
        contentType: 'application/merge-patch+json',
        body: { metadata: { ownerReferences } },
      },
      options,
    ),
  );
  return patched !== null;
}

/** Metadata alone, so that no value of a Secret that is not ours ever comes here. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** Whether there is such a Secret. */
export async function hasSecret(
  context: ClientContext,
  name: string,
  options: ClusterCallOptions,
): Promise<boolean> {
  const answer = await nullWhenMissing(
    context.requester.text(
      {
        target: buildTarget(context, 'patch', { resource: 'secrets', name }),
        method: 'PATCH',
        path: `${buildNamespacedPath(context.namespace, 'secrets', name)}${buildQuery({ dryRun: 'All' })}`,
        contentType: 'application/merge-patch+json',
        accept: METADATA_ONLY,
        body: {},
      },
      options,
    ),
  );
  return answer !== null;
}
