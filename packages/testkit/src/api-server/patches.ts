/** JSON Patch (RFC 6902: test, add, replace, remove) and merge patch (RFC 7396). */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from './api-object.ts';
import { badRequest } from './status.ts';

/** Applies a merge patch; null removes. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = applyMergePatch(merged[key], value);
  }
  return merged;
}

/** A `test` of a patch that does not hold. */
export class PatchTestError extends Error {}

interface Operation {
  readonly op: string;
  readonly path: string[];
  readonly value: unknown;
}

function parseOperation(value: unknown): Operation {
  if (!isRecord(value)) throw badRequest('a JSON patch is a list of operations');
  const { op, path } = value;
  if (typeof op !== 'string' || typeof path !== 'string') throw badRequest('an operation has op and path');
  const segments = path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { op, path: segments, value: value['value'] };
}

function applyOperation(target: Record<string, unknown>, { op, path, value }: Operation): void {
  const key = path.at(-1) ?? '';
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), target);
  if (!isRecord(parent)) throw new PatchTestError(`no such path /${path.join('/')}`);
  if (op === 'test') {
    if (!isDeepStrictEqual(parent[key], value))
      throw new PatchTestError(`testing path /${path.join('/')} failed`);
  } else if (op === 'remove') delete parent[key];
  else if (op === 'add' || op === 'replace') parent[key] = value;
  else throw badRequest(`unknown operation ${op}`);
}

/** Applies a JSON patch to a copy. */
export function applyJsonPatch(target: Record<string, unknown>, patch: unknown): Record<string, unknown> {
  if (!Array.isArray(patch)) throw badRequest('a JSON patch is a list of operations');
  const copy = structuredClone(target);
  for (const operation of patch) applyOperation(copy, parseOperation(operation));
  return copy;
}
