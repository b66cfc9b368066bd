/** Volumes of a template: the kinds of the restricted profile, and no way around the withheld service account token. */
import { RESTRICTED } from './fault.ts';
import type { TemplateFault } from './fault.ts';
import { toObject, toObjects } from './json.ts';
import type { Json } from './json.ts';

const ALLOWED_KINDS = new Set([
  'name',
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

/** A token for another audience (a vault, a cloud) opens nothing at the API server. */
function isApiToken(source: Json): boolean {
  if (!Object.hasOwn(source, 'serviceAccountToken')) return false;
  const { audience } = toObject(source['serviceAccountToken']);
  return typeof audience !== 'string' || audience === '' || audience.includes('kubernetes');
}

/** The first fault of a volume. */
export function findVolumeFault(volume: Json): TemplateFault | undefined {
  const path = ['spec', 'volumes', String(volume['name'])];
  const kind = Object.keys(volume).find((key) => !ALLOWED_KINDS.has(key));
  if (kind !== undefined) return { path: [...path, kind], problem: RESTRICTED };
  const { sources } = toObject(volume['projected']);
  if (!toObjects(sources).some(isApiToken)) return undefined;
  return {
    path: [...path, 'projected', 'serviceAccountToken'],
    problem:
      'would give the sandbox a token of the API server; name the audience of another service or remove it',
  };
}
