/** `pod_template`: merged *under* what the launcher fixes, and refused where it would weaken the Pod. */
import type { Container } from 'kubernetes-types/core/v1.js';
import { SandboxError } from '@omnigent/protocol';
import type { PodManifest } from './pod-manifest.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a list's items are told apart by; a list that is not here is replaced as a whole. */
const LIST_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  env: 'name',
  volumeMounts: 'mountPath',
  imagePullSecrets: 'name',
};
/** Lists whose items are merged field by field; items of the others are taken whole. */
const MERGED = new Set(['containers', 'initContainers']);
/** Lists that are joined. */
const JOINED = new Set(['tolerations', 'topologySpreadConstraints', 'readinessGates', 'hostAliases']);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const toObjects = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The Pod with the template's fields where the Pod has none of its own. Neither is changed. */
export function mergeUnder(template: Json, fixed: PodManifest): PodManifest {
  checkPodTemplate(template);
  const { metadata, spec } = template;
  const under = { metadata: isObject(metadata) ? metadata : {}, spec: isObject(spec) ? spec : {} };
  const merged = mergeObjects(under, { ...fixed });
  const mergedSpec = isObject(merged['spec']) ? merged['spec'] : {};
  const harden = (list: unknown) => toObjects(list).map(hardenContainer);
  const initContainers = harden(mergedSpec['initContainers']);
  return {
    // The fixed Pod is complete and wins everywhere, so the result is one too.
    ...fixed,
    ...merged,
    spec: {
      ...fixed.spec,
      ...mergedSpec,
      containers: harden(mergedSpec['containers']),
      ...(initContainers.length === 0 ? {} : { initContainers }),
    },
  };
}

/** Every container of the Pod keeps the restricted profile, also one that the template brings. */
function hardenContainer(container: Json): Container {
  const own = isObject(container['securityContext']) ? container['securityContext'] : {};
  return {
    ...container,
    name: String(container['name']),
    securityContext: { ...own, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
}

function mergeObjects(under: Json, over: Json): Json {
  const result: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) result[key] = mergeValues(key, under[key], value);
  return result;
}

function mergeValues(key: string, under: unknown, over: unknown): unknown {
  if (isObject(under) && isObject(over)) return mergeObjects(under, over);
  if (!Array.isArray(over) || !Array.isArray(under)) return over;
  if (JOINED.has(key)) return [...over, ...under];
  const identity = LIST_KEYS[key];
  return identity === undefined ? over : mergeLists({ key, identity }, toObjects(under), toObjects(over));
}

function mergeLists(
  list: { readonly key: string; readonly identity: string },
  under: readonly Json[],
  over: readonly Json[],
): Json[] {
  const { key, identity } = list;
  const find = (list: readonly Json[], item: Json) =>
    list.find((candidate) => candidate[identity] === item[identity]);
  // Only containers are merged field by field: a variable with two sources or a volume of two kinds is none.
  const ours = over.map((item) => (MERGED.has(key) ? mergeObjects(find(under, item) ?? {}, item) : item));
  return [...ours, ...under.filter((item) => find(over, item) === undefined)];
}

const FORBIDDEN_SPEC = [
  'hostNetwork',
  'hostPID',
  'hostIPC',
  'serviceAccountName',
  'serviceAccount',
  'automountServiceAccountToken',
  'restartPolicy',
  'securityContext',
  'activeDeadlineSeconds',
  'ephemeralContainers',
];
const ALLOWED_VOLUMES = new Set([
  'name',
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

/**
 * Refuses what would break the restricted profile or weaken the sandbox, before anything is created.
 *
 * @throws SandboxError `invalid_config` that names the field.
 */
export function checkPodTemplate(template: Json): void {
  const spec = isObject(template['spec']) ? template['spec'] : {};
  for (const field of FORBIDDEN_SPEC)
    if (Object.hasOwn(spec, field)) refuse(`spec.${field}`, 'is fixed by the launcher');
  for (const volume of toObjects(spec['volumes'])) {
    const kind = Object.keys(volume).find((key) => !ALLOWED_VOLUMES.has(key));
    if (kind !== undefined)
      refuse(
        `spec.volumes.${String(volume['name'])}.${kind}`,
        'is a kind of volume that Pod Security restricted does not allow',
      );
  }
  for (const list of ['containers', 'initContainers']) {
    for (const container of toObjects(spec[list]))
      checkContainer(`spec.${list}.${String(container['name'])}`, container);
  }
}

function checkContainer(path: string, container: Json): void {
  const security = isObject(container['securityContext']) ? container['securityContext'] : {};
  const capabilities = isObject(security['capabilities']) ? security['capabilities'] : {};
  const seccomp = isObject(security['seccompProfile']) ? security['seccompProfile'] : {};
  const faults: readonly (readonly [boolean, string])[] = [
    [security['privileged'] === true, 'privileged'],
    [security['allowPrivilegeEscalation'] === true, 'allowPrivilegeEscalation'],
    [security['runAsNonRoot'] === false, 'runAsNonRoot'],
    [security['runAsUser'] === 0, 'runAsUser'],
    [security['procMount'] !== undefined && security['procMount'] !== 'Default', 'procMount'],
    [Object.hasOwn(capabilities, 'add'), 'capabilities.add'],
    [seccomp['type'] === 'Unconfined', 'seccompProfile'],
  ];
  const fault = faults.find(([isBroken]) => isBroken);
  if (fault !== undefined)
    refuse(`${path}.securityContext.${fault[1]}`, 'breaks the restricted profile of Pod Security');
  const hostPorts = toObjects(container['ports']).some((port) => port['hostPort'] !== undefined);
  if (hostPorts) refuse(`${path}.ports.hostPort`, 'breaks the restricted profile of Pod Security');
}

function refuse(path: string, problem: string): never {
  throw new SandboxError('invalid_config', `sandbox.kubernetes.pod_template.${path} ${problem}; remove it`);
}
