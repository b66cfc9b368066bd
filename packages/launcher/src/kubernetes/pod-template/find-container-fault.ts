/** Containers of a template: what would break the restricted profile, or change the launcher's own ones. */
import { OWN_CONTAINERS } from '../manifests/container-names.ts';
import { FIXED, RESTRICTED } from './fault.ts';
import type { TemplateFault } from './fault.ts';
import { isObject, toObject, toObjects } from './json.ts';
import type { Json } from './json.ts';

/** Fields of the launcher's own containers that a template may not touch, besides those that are always set. */
const FIXED_FIELDS = ['args', 'stdin', 'tty', 'securityContext'];
/** The one field of their security context that only hardens. */
const HARDENING = 'readOnlyRootFilesystem';

const isConfined = (profile: unknown) => {
  const { type } = toObject(profile);
  return type === 'RuntimeDefault' || type === 'Localhost';
};

/** Fields of a security context and what the restricted profile takes there; others are not known to it. */
const SECURITY_RULES: Readonly<Record<string, (value: unknown) => boolean>> = {
  allowPrivilegeEscalation: (value) => value === false,
  privileged: (value) => value === false,
  readOnlyRootFilesystem: (value) => typeof value === 'boolean',
  runAsNonRoot: (value) => value === true,
  runAsUser: (value) => typeof value === 'number' && value > 0,
  runAsGroup: (value) => typeof value === 'number',
  procMount: (value) => value === 'Default',
  seccompProfile: isConfined,
  appArmorProfile: isConfined,
  capabilities: (value) => isObject(value) && !Object.hasOwn(value, 'add'),
};

function findSecurityFault(container: Json): string[] | undefined {
  const security = container['securityContext'];
  if (security === undefined) return undefined;
  if (!isObject(security)) return ['securityContext'];
  const broken = Object.entries(security).find(([field, value]) => SECURITY_RULES[field]?.(value) !== true);
  if (broken === undefined) return undefined;
  return ['securityContext', broken[0], ...(broken[0] === 'capabilities' ? ['add'] : [])];
}

function findFixedField(container: Json): string | undefined {
  return FIXED_FIELDS.find((field) => {
    if (!Object.hasOwn(container, field)) return false;
    if (field !== 'securityContext') return true;
    return Object.keys(toObject(container[field])).some((key) => key !== HARDENING);
  });
}

/** The first fault of a container. */
export function findContainerFault(list: string, container: Json): TemplateFault | undefined {
  const name = String(container['name']);
  const path = ['spec', list, name];
  const security = findSecurityFault(container);
  if (security !== undefined) return { path: [...path, ...security], problem: RESTRICTED };
  if (toObjects(container['ports']).some((port) => port['hostPort'] !== undefined))
    return { path: [...path, 'ports', 'hostPort'], problem: RESTRICTED };
  if (!OWN_CONTAINERS.includes(name))
    return typeof container['image'] === 'string'
      ? undefined
      : { path: [...path, 'image'], problem: 'expected an image, found none' };
  const fixed = findFixedField(container);
  return fixed === undefined ? undefined : { path: [...path, fixed], problem: FIXED };
}
