/** Reads that only the preflight needs; most need rights that the server may lack, which is an answer too. */
import { z } from 'zod';
import type { ClusterCallOptions, ClusterClient } from '../cluster-client.ts';
import { listOf } from '../objects/metadata.ts';
import {
  accessReviewSchema,
  clusterVersionSchema,
  limitRangeSchema,
  namespaceSchema,
  nodeSchema,
  resourceQuotaSchema,
  serviceAccountSchema,
} from '../objects/preflight.ts';
import type { AccessAnswer, AccessQuestion } from '../objects/preflight.ts';
import { buildTarget, nullWhenMissing } from './call.ts';
import type { ClientContext } from './call.ts';
import { buildNamespacedPath } from './paths.ts';

type PreflightReads = Pick<
  ClusterClient,
  | 'readVersion'
  | 'readNamespace'
  | 'readServiceAccount'
  | 'readNode'
  | 'checkAccess'
  | 'listResourceQuotas'
  | 'listLimitRanges'
>;

const REVIEW = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };
const REVIEW_PATH = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

async function checkAccess(
  { requester, namespace }: ClientContext,
  { verb, resource: path, group = '' }: AccessQuestion,
  options: ClusterCallOptions,
): Promise<AccessAnswer> {
  const [resource = '', subresource = ''] = path.split('/');
  const body = {
    ...REVIEW,
    spec: { resourceAttributes: { namespace, verb, group, resource, subresource } },
  };
  const target = {
    verb: 'create',
    resource: 'selfsubjectaccessreviews',
    namespace: null,
    name: null,
  } as const;
  const request = { target, method: 'POST', path: REVIEW_PATH, body, schema: accessReviewSchema } as const;
  const { status } = await requester.json(request, options);
  return { allowed: status.allowed, reason: status.reason || status.evaluationError || null };
}

interface ReadRequest<T extends z.ZodType> {
  readonly resource: string;
  readonly name: string;
  readonly path: string;
  readonly schema: T;
}

function readOne<T extends z.ZodType>(
  context: ClientContext,
  { path, schema, resource, name }: ReadRequest<T>,
  options: ClusterCallOptions,
): Promise<z.infer<T>> {
  const isInNamespace = path.startsWith(`${buildNamespacedPath(context.namespace)}/`);
  const target = buildTarget(context, 'get', { resource, name });
  const request = {
    target: isInNamespace ? target : { ...target, namespace: null },
    method: 'GET',
    path,
    schema,
  } as const;
  return context.requester.json(request, options);
}

async function readAll<T extends z.ZodType>(
  context: ClientContext,
  { resource, item }: { readonly resource: string; readonly item: T },
  options: ClusterCallOptions,
): Promise<readonly z.output<T>[]> {
  const target = buildTarget(context, 'list', { resource });
  const path = buildNamespacedPath(context.namespace, resource);
  const schema = z.object({ items: listOf(item) });
  return (await context.requester.json({ target, method: 'GET', path, schema }, options)).items;
}

/** The reads of a preflight in one namespace. */
export function createPreflightReads(context: ClientContext): PreflightReads {
  const { namespace } = context;
  return {
    readVersion(options) {
      const request = { resource: 'version', name: 'server', path: '/version', schema: clusterVersionSchema };
      return readOne(context, request, options);
    },
    readNamespace(options) {
      const path = buildNamespacedPath(namespace);
      const request = { resource: 'namespaces', name: namespace, path, schema: namespaceSchema };
      return nullWhenMissing(readOne(context, request, options));
    },
    readServiceAccount(name, options) {
      const path = buildNamespacedPath(namespace, 'serviceaccounts', name);
      const request = { resource: 'serviceaccounts', name, path, schema: serviceAccountSchema };
      return nullWhenMissing(readOne(context, request, options));
    },
    readNode(name, options) {
      const path = `/api/v1/nodes/${encodeURIComponent(name)}`;
      return nullWhenMissing(
        readOne(context, { resource: 'nodes', name, path, schema: nodeSchema }, options),
      );
    },
    checkAccess: (question, options) => checkAccess(context, question, options),
    listResourceQuotas: (options) =>
      readAll(context, { resource: 'resourcequotas', item: resourceQuotaSchema }, options),
    listLimitRanges: (options) =>
      readAll(context, { resource: 'limitranges', item: limitRangeSchema }, options),
  };
}
