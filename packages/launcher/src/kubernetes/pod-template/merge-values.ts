/** Puts one tree under another: what the upper one has stays. Lists are merged by what their items are told apart by. */
import { isObject, toObjects } from './json.ts';
import type { Json } from './json.ts';

/** A list that is in none of these is taken whole from the upper tree. */
const LIST_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  env: 'name',
  volumeMounts: 'mountPath',
  imagePullSecrets: 'name',
};
/** Lists whose items are merged field by field; a variable with two sources or a volume of two kinds would be none. */
const MERGED = new Set(['containers', 'initContainers']);
/** Lists that are joined; those of the upper tree come last, where the last wins (`envFrom`). */
const JOINED = new Set([
  'envFrom',
  'hostAliases',
  'readinessGates',
  'tolerations',
  'topologySpreadConstraints',
]);

/** A new object with the fields of both. */
export function mergeObjects(under: Json, over: Json): Json {
  const entries = Object.entries(over).map(([key, value]): [string, unknown] => [
    key,
    mergeValues(key, under[key], value),
  ]);
  return { ...under, ...Object.fromEntries(entries) };
}

function mergeValues(key: string, under: unknown, over: unknown): unknown {
  if (isObject(under) && isObject(over)) return mergeObjects(under, over);
  return Array.isArray(over) && Array.isArray(under) ? mergeLists(key, under, over) : over;
}

function mergeLists(key: string, under: readonly unknown[], over: readonly unknown[]): unknown[] {
  if (JOINED.has(key)) return [...under, ...over];
  const identity = LIST_KEYS[key];
  if (identity === undefined) return [...over];
  const added = toObjects(under);
  const own = toObjects(over);
  const find = (list: readonly Json[], item: Json) =>
    list.find((candidate) => candidate[identity] === item[identity]);
  return [
    ...own.map((item) => (MERGED.has(key) ? mergeObjects(find(added, item) ?? {}, item) : item)),
    ...added.filter((item) => find(own, item) === undefined),
  ];
}
