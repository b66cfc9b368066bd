/** `GET` of one object and of lists, in pages. */
import { randomUUID } from 'node:crypto';
import type { ApiObject } from './api-object.ts';
import type { ApiRequest } from './api-request.ts';
import type { FakeState } from './fake-state.ts';
import { findResource } from './resources.ts';
import { buildSelector } from './selectors.ts';
import { expired, notFound } from './status.ts';

/** The object, or a refusal. */
export function readObject({ resource, namespace, name }: ApiRequest, { reads }: FakeState): ApiObject {
  const object = reads.get({ resource, namespace, name });
  if (object === undefined) throw notFound({ resource, name });
  return object;
}

/** Items of a list carry no kind of their own. */
function toItem({ apiVersion: _version, kind: _kind, ...item }: ApiObject): Record<string, unknown> {
  return item;
}

function resolveItems(
  { query, resource, namespace }: ApiRequest,
  { reads, pages }: FakeState,
): { items: readonly ApiObject[]; version: number } {
  const token = query.get('continue');
  if (token === null || token === '')
    return { items: reads.list(resource, namespace).filter(buildSelector(query)), version: reads.version };
  const page = pages.get(token);
  if (page === undefined) throw expired();
  return page;
}

/** A list, or the next page of one; pages show one state of the store. */
export function listObjects(request: ApiRequest, state: FakeState): Record<string, unknown> {
  const { items, version } = resolveItems(request, state);
  const limit = Number(request.query.get('limit') ?? 0) || items.length;
  const rest = items.slice(limit);
  const token = rest.length > 0 ? randomUUID() : '';
  if (rest.length > 0) state.pages.set(token, { items: rest, version });
  return {
    kind: `${findResource(request.resource)?.kind ?? ''}List`,
    apiVersion: 'v1',
    metadata: {
      resourceVersion: String(version),
      ...(token === '' ? {} : { continue: token, remainingItemCount: rest.length }),
    },
    items: items.slice(0, limit).map(toItem),
  };
}
