/** `GET …/pods/NAME/log`. */
import { isRecord, readField } from './api-object.ts';
import type { ApiObject } from './api-object.ts';
import type { ApiRequest } from './api-request.ts';
import type { FakeState } from './fake-state.ts';
import { badRequest, notFound } from './status.ts';

function listNames(pod: ApiObject, field: string): string[] {
  const containers = readField(pod, ['spec', field]);
  if (!Array.isArray(containers)) return [];
  return containers.flatMap((container) => (isRecord(container) ? [String(container['name'])] : []));
}

function resolveContainer(pod: ApiObject, { query, name }: ApiRequest): string {
  const containers = listNames(pod, 'containers');
  const all = [...containers, ...listNames(pod, 'initContainers')];
  const asked = query.get('container');
  if (asked !== null) {
    if (all.includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  const [only] = all;
  if (all.length === 1 && only !== undefined) return only;
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`);
}

/** The log's text as the query asks for it. */
export function readLog(request: ApiRequest, { store, logs }: FakeState): string {
  const { namespace, name, query } = request;
  const pod = store.get({ resource: 'pods', namespace, name });
  if (pod === undefined) throw notFound({ resource: 'pods', name });
  const container = resolveContainer(pod, request);
  if (readField(pod, ['spec', 'nodeName']) === undefined) return '';
  if (query.get('previous') === 'true')
    throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  const text = logs.get(`${namespace}/${name}/${container}`);
  if (text === undefined)
    throw badRequest(`container "${container}" in pod "${name}" is waiting to start: PodInitializing`);
  const tail = Number(query.get('tailLines') ?? Number.POSITIVE_INFINITY);
  const lines = text.replace(/\n$/, '').split('\n').slice(-tail);
  const limit = Number(query.get('limitBytes') ?? Number.POSITIVE_INFINITY);
  return Buffer.from(`${lines.join('\n')}\n`)
    .subarray(0, limit)
    .toString('utf8');
}
