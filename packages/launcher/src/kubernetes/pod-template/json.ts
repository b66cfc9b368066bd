/** Reading a template that may be anything. */

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one when it is none. */
export function toObject(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** The objects of a list; none when it is no list. */
export function toObjects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
