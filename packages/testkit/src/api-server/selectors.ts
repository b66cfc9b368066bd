/** Label and field selectors of lists and watches. */
import { readField } from './api-object.ts';
import type { ApiObject } from './api-object.ts';

export type Matcher = (object: ApiObject) => boolean;

interface Requirement {
  readonly key: string;
  readonly value: string;
  readonly isEqual: boolean;
}

function parseRequirement(text: string): Requirement {
  const unequal = text.split('!=');
  if (unequal.length === 2)
    return { key: unequal[0]?.trim() ?? '', value: unequal[1]?.trim() ?? '', isEqual: false };
  const [key = '', value = ''] = text.split(/==?/);
  return { key: key.trim(), value: value.trim(), isEqual: true };
}

function buildMatcher(text: string, read: (object: ApiObject, key: string) => string | undefined): Matcher {
  const requirements = text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(parseRequirement);
  return (object) =>
    requirements.every(({ key, value, isEqual }) => (read(object, key) === value) === isEqual);
}

function readText(object: ApiObject, key: string): string | undefined {
  const value = readField(object, key.split('.'));
  return typeof value === 'string' ? value : undefined;
}

/** Matches objects by the query of a list or watch. */
export function buildSelector(query: URLSearchParams): Matcher {
  const byLabel = buildMatcher(
    query.get('labelSelector') ?? '',
    ({ metadata }, key) => metadata.labels?.[key],
  );
  const byField = buildMatcher(query.get('fieldSelector') ?? '', readText);
  return (object) => byLabel(object) && byField(object);
}
