/** Refuses, when the configuration is loaded, a `pod_template` that would weaken the sandbox or could not be merged. */
import { HOST_CONTAINER, OWN_CONTAINERS } from '../manifests/container-names.ts';
import { FIXED } from './fault.ts';
import type { TemplateFault } from './fault.ts';
import { findContainerFault } from './find-container-fault.ts';
import { findVolumeFault } from './find-volume-fault.ts';
import { isObject, toObject, toObjects } from './json.ts';
import type { Json } from './json.ts';
import { findAnnotationFault, isOwnLabel } from './own-metadata.ts';

const FIXED_FIELDS = [
  'activeDeadlineSeconds',
  'automountServiceAccountToken',
  'ephemeralContainers',
  'hostIPC',
  'hostNetwork',
  'hostPID',
  'restartPolicy',
  'securityContext',
  'serviceAccount',
  'serviceAccountName',
];
const LISTS = ['containers', 'initContainers', 'volumes'];

function findMetadataFault(metadata: Json): TemplateFault | undefined {
  const field = Object.keys(metadata).find((key) => key !== 'labels' && key !== 'annotations');
  if (field !== undefined) return { path: ['metadata', field], problem: FIXED };
  const label = Object.keys(toObject(metadata['labels'])).find(isOwnLabel);
  if (label !== undefined) return { path: ['metadata', 'labels', label], problem: FIXED };
  return findAnnotationFault(toObject(metadata['annotations']), ['metadata', 'annotations']);
}

function findListFault(spec: Json): TemplateFault | undefined {
  const list = LISTS.find((key) => {
    const value = spec[key];
    if (value === undefined) return false;
    return (
      !Array.isArray(value) ||
      !value.every((item: unknown) => isObject(item) && typeof item['name'] === 'string')
    );
  });
  return list === undefined
    ? undefined
    : { path: ['spec', list], problem: 'expected a list of mappings that have a name' };
}

/** Names are unique over both lists of containers, and each of ours stands in its own. */
function findMisplaced(spec: Json): TemplateFault | undefined {
  const isMisplaced = (list: string) => {
    const own = OWN_CONTAINERS.filter((name) => (name === HOST_CONTAINER) !== (list === 'containers'));
    return toObjects(spec[list]).find(({ name }) => own.some((ours) => ours === name));
  };
  for (const list of ['containers', 'initContainers']) {
    const found = isMisplaced(list);
    if (found !== undefined)
      return {
        path: ['spec', list, String(found['name'])],
        problem: 'is the name of a container of the launcher in the other list; choose another name',
      };
  }
  return undefined;
}

/** The first fault of a template; undefined when it may be merged. */
export function findTemplateFault(template: Json): TemplateFault | undefined {
  const spec = toObject(template['spec']);
  const fixed = FIXED_FIELDS.find((field) => Object.hasOwn(spec, field));
  if (fixed !== undefined) return { path: ['spec', fixed], problem: FIXED };
  const found =
    findMetadataFault(toObject(template['metadata'])) ?? findListFault(spec) ?? findMisplaced(spec);
  if (found !== undefined) return found;
  const faults = [
    ...toObjects(spec['volumes']).map(findVolumeFault),
    ...['containers', 'initContainers'].flatMap((list) =>
      toObjects(spec[list]).map((container) => findContainerFault(list, container)),
    ),
  ];
  return faults.find((fault) => fault !== undefined);
}
