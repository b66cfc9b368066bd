/** Objects as the fake API server keeps them: plain JSON. */

export interface ApiMetadata {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string }[];
  [field: string]: unknown;
}

export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata: ApiMetadata;
  [field: string]: unknown;
}

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Whether a value is an object of JSON. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What the body of a create must be at least; null when it is not. */
export function parseApiObject(value: unknown): ApiObject | null {
  if (!isRecord(value) || !isRecord(value['metadata'])) return null;
  const { name } = value['metadata'];
  return typeof name === 'string' ? { ...value, metadata: { ...value['metadata'], name } } : null;
}

/** A value at a path of field names; undefined when there is none. */
export function readField(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);
}
