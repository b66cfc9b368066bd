/** `SelfSubjectAccessReview`: answered from the same rights that requests are checked against. */
import { readField } from './api-object.ts';
import type { ApiRequest, ApiVerb } from './api-request.ts';
import type { FakeState } from './fake-state.ts';
import { badRequest } from './status.ts';

const VERBS: readonly ApiVerb[] = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

/** The review with its answer. */
export function reviewAccess(request: ApiRequest, { rights }: FakeState): Record<string, unknown> {
  const read = (field: string) => {
    const value = readField(request.body, ['spec', 'resourceAttributes', field]);
    return typeof value === 'string' ? value : '';
  };
  const verb = VERBS.find((known) => known === read('verb'));
  if (verb === undefined) throw badRequest('spec.resourceAttributes.verb is not one that is known');
  const subresource = read('subresource');
  const resource = subresource === '' ? read('resource') : `${read('resource')}/${subresource}`;
  const asked = { ...request, verb, resource, namespace: read('namespace'), name: read('name'), body: null };
  const allowed = rights.isAllowed(asked);
  return {
    kind: 'SelfSubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    status: { allowed, ...(allowed ? { reason: 'RBAC: allowed by RoleBinding' } : {}) },
  };
}
