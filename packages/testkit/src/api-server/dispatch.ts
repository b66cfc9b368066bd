/** From a request to its answer, without faults. */
import type { ApiRequest } from './api-request.ts';
import { reviewAccess } from './access-review.ts';
import { deleteObject, patchObject } from './change-object.ts';
import { createObject } from './create-object.ts';
import type { FakeState } from './fake-state.ts';
import { readLog } from './pod-log.ts';
import { listObjects, readObject } from './read-objects.ts';
import { ApiRefusal, badRequest, toStatusObject } from './status.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
}

const VERSION = { major: '1', minor: '34', gitVersion: 'v1.34.0-fake', platform: 'fake' };

const toJson = (status: number, value: unknown): ApiAnswer => ({
  status,
  body: JSON.stringify(value),
  contentType: 'application/json',
  headers: {},
});

/** The answer of a refusal. */
export function toRefusalAnswer({ status, headers }: ApiRefusal): ApiAnswer {
  return { ...toJson(status.code, toStatusObject(status)), headers };
}

function resolveAnswer(request: ApiRequest, state: FakeState): ApiAnswer {
  state.rights.check(request);
  if (request.resource === 'version') return toJson(200, VERSION);
  if (request.resource === 'selfsubjectaccessreviews') return toJson(201, reviewAccess(request, state));
  if (request.resource === 'pods/log')
    return { status: 200, body: readLog(request, state), contentType: 'text/plain', headers: {} };
  switch (request.verb) {
    case 'get':
      return toJson(200, readObject(request, state));
    case 'list':
      return toJson(200, listObjects(request, state));
    case 'create':
      return toJson(201, createObject(request, state));
    case 'patch':
      return toJson(200, patchObject(request, state));
    case 'delete':
      return toJson(200, deleteObject(request, state));
    case 'watch':
      throw badRequest('a watch is answered by a stream');
  }
}

/** Does what the request asks; a refusal is an answer too. */
export function dispatch(request: ApiRequest, state: FakeState): ApiAnswer {
  try {
    return resolveAnswer(request, state);
  } catch (error) {
    if (error instanceof ApiRefusal) return toRefusalAnswer(error);
    throw error;
  }
}
