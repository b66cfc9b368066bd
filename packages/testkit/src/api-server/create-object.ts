/** `POST`: namespace, name, admission, defaults. */
import { randomUUID } from 'node:crypto';
import { toIsoTime } from '@omnigent/protocol';
import { isRecord, parseApiObject } from './api-object.ts';
import type { ApiObject } from './api-object.ts';
import type { ApiRequest } from './api-request.ts';
import type { FakeState } from './fake-state.ts';
import { findResource } from './resources.ts';
import { ApiRefusal, alreadyExists, badRequest, forbidden, invalid, notFound } from './status.ts';
import type { ApiStatus } from './status.ts';

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

function checkNamespace({ namespace, resource }: ApiRequest, { store }: FakeState): void {
  if (namespace === '') return;
  const found = store.get({ resource: 'namespaces', namespace: '', name: namespace });
  if (found === undefined) throw notFound({ resource: 'namespaces', name: namespace });
  const status = found['status'];
  if (!isRecord(status) || status['phase'] !== 'Terminating') return;
  throw forbidden(
    `${resource} is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    {
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: 'namespace is being terminated',
          field: 'metadata.namespace',
        },
      ],
    },
  );
}

function isStatus(value: ApiStatus | ApiObject): value is ApiStatus {
  return 'code' in value && typeof value.code === 'number';
}

function admit(object: ApiObject, request: ApiRequest, { admission }: FakeState): ApiObject {
  return admission.reduce((admitted, hook) => {
    const verdict = hook(structuredClone(admitted), request);
    if (verdict === null) return admitted;
    if (isStatus(verdict)) throw new ApiRefusal(verdict);
    return verdict;
  }, object);
}

function encodeSecret({ stringData, ...object }: ApiObject): ApiObject {
  if (!isRecord(stringData)) return object;
  const encoded = Object.entries(stringData).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString('base64'),
  ]);
  const data = isRecord(object['data']) ? object['data'] : {};
  return { ...object, data: { ...data, ...Object.fromEntries(encoded) } };
}

/** What the API server fills in by itself. */
function addDefaults(object: ApiObject, { resource }: ApiRequest): ApiObject {
  if (resource === 'secrets') return encodeSecret(object);
  if (resource === 'pods')
    return { ...object, status: object['status'] ?? { phase: 'Pending', qosClass: 'Burstable' } };
  return object;
}

function addIdentity(
  object: ApiObject,
  { namespace, resource }: ApiRequest,
  { clock }: FakeState,
): ApiObject {
  return {
    apiVersion: 'v1',
    kind: findResource(resource)?.kind ?? 'Unknown',
    ...object,
    metadata: {
      ...object.metadata,
      ...(namespace === '' ? {} : { namespace }),
      uid: randomUUID(),
      // Whole seconds, as the real server writes them.
      creationTimestamp: toIsoTime(clock.now()).replace(/\.\d+Z$/, 'Z'),
    },
  };
}

/** Creates what the request's body says and returns it as stored. */
export function createObject(request: ApiRequest, state: FakeState): ApiObject {
  const { resource, namespace, query } = request;
  const given = parseApiObject(request.body);
  if (given === null) throw badRequest('the object provided has no metadata.name');
  checkNamespace(request, state);
  const { name } = given.metadata;
  const kind = findResource(resource)?.kind ?? 'Unknown';
  if (!NAME.test(name))
    throw invalid({ resource, name, kind }, 'metadata.name', 'a lowercase RFC 1123 subdomain');
  const key = { resource, namespace, name };
  const existing = state.store.get(key);
  const admitted = admit(given, request, state);
  if (existing !== undefined)
    throw alreadyExists({ resource, name }, existing.metadata.deletionTimestamp !== undefined);
  const object = addIdentity(addDefaults(admitted, request), request, state);
  return query.get('dryRun') === 'All' ? object : state.store.put(key, object);
}
