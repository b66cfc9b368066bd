/** `PATCH` and `DELETE`. */
import { parseApiObject, readField } from './api-object.ts';
import type { ApiObject } from './api-object.ts';
import type { ApiRequest } from './api-request.ts';
import type { FakeState } from './fake-state.ts';
import { PatchTestError, applyJsonPatch, applyMergePatch } from './patches.ts';
import { findResource } from './resources.ts';
import { ApiRefusal, badRequest, conflict, notFound } from './status.ts';

function findObject({ resource, namespace, name }: ApiRequest, { store }: FakeState): ApiObject {
  const object = store.get({ resource, namespace, name });
  if (object === undefined) throw notFound({ resource, name });
  return object;
}

function applyPatch(object: ApiObject, { contentType, body, resource, name }: ApiRequest): unknown {
  if (!contentType.startsWith('application/json-patch+json')) return applyMergePatch(object, body);
  try {
    return applyJsonPatch(object, body);
  } catch (error) {
    if (!(error instanceof PatchTestError)) throw error;
    throw new ApiRefusal({
      code: 422,
      reason: 'Invalid',
      message: `the server rejected our request due to an error in our request: ${error.message}`,
      details: { name, kind: resource },
    });
  }
}

/** Patches an object; an unchanged one keeps its version, as with the real server. */
export function patchObject(request: ApiRequest, state: FakeState): ApiObject {
  const { resource, namespace, name } = request;
  const object = findObject(request, state);
  const patched = parseApiObject(applyPatch(object, request));
  if (patched === null) throw badRequest('the patch removes metadata.name');
  if (JSON.stringify(patched) === JSON.stringify(object)) return object;
  return state.store.put({ resource, namespace, name }, patched);
}

function checkPreconditions(object: ApiObject, { body, resource, name }: ApiRequest): void {
  const uid = readField(body, ['preconditions', 'uid']);
  if (typeof uid !== 'string' || uid === object.metadata.uid) return;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid ?? ''}`;
  throw conflict({ resource, name }, why);
}

const DEFAULT_GRACE_SECONDS = 30;

/** How long a Pod may take to end; 0 when there is nobody to end it. */
function resolveGraceSeconds(pod: ApiObject, { body }: ApiRequest): number {
  const asked = readField(body, ['gracePeriodSeconds']);
  if (asked === 0 || readField(pod, ['spec', 'nodeName']) === undefined) return 0;
  const own = readField(pod, ['spec', 'terminationGracePeriodSeconds']);
  return [asked, own].find((value) => typeof value === 'number') ?? DEFAULT_GRACE_SECONDS;
}

/** Deletes an object; a Pod that has a node only begins to end. */
export function deleteObject(request: ApiRequest, state: FakeState): Record<string, unknown> {
  const { resource, namespace, name } = request;
  const key = { resource, namespace, name };
  const object = findObject(request, state);
  checkPreconditions(object, request);
  const graceSeconds = resource === 'pods' ? resolveGraceSeconds(object, request) : 0;
  if (graceSeconds > 0) {
    if (object.metadata.deletionTimestamp !== undefined) return object;
    const deletionTimestamp = new Date(state.clock.now() + graceSeconds * 1000).toISOString();
    const metadata = { ...object.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds };
    return state.store.put(key, { ...object, metadata });
  }
  state.store.remove(key);
  if (resource === 'pods') return object;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Success',
    details: { name, kind: findResource(resource)?.resource, uid: object.metadata.uid },
  };
}

/** Removes what the removed object owned, as the cluster's garbage collector does. */
export function collectDependants(owner: ApiObject, state: FakeState): void {
  for (const [key, { metadata }] of state.store.entries()) {
    const owners = metadata.ownerReferences ?? [];
    if (owners.some(({ uid }) => uid === owner.metadata.uid)) state.store.remove(key);
  }
}
