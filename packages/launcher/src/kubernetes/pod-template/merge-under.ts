/** `pod_template` under what the launcher fixes. */
import type { Container } from 'kubernetes-types/core/v1.js';
import { OWN_CONTAINERS } from '../manifests/container-names.ts';
import type { PodManifest } from '../manifests/pod-manifest.ts';
import { buildContainerSecurity } from '../manifests/security.ts';
import { mergeObjects } from './merge-values.ts';
import type { Json } from './json.ts';

/**
 * The Pod with the template's fields where the Pod has none of its own; neither is changed. Every container keeps the
 * restricted profile, also one that the template brings.
 */
export function mergeUnder(template: Json, fixed: PodManifest): PodManifest {
  const { spec, ...rest } = merge(template, fixed);
  const absent = listAbsent(fixed);
  const inits = (spec.initContainers ?? []).filter(({ name }) => !absent.includes(name));
  const initContainers = sortInits(inits).map(hardenContainer);
  const { initContainers: _, ...others } = spec;
  return {
    ...rest,
    spec: {
      ...others,
      containers: spec.containers.map(hardenContainer),
      ...(initContainers.length === 0 ? {} : { initContainers }),
    },
  };
}

/** The Pod is complete and wins everywhere, so the result is a Pod too. */
function merge({ metadata = {}, spec = {} }: Json, fixed: PodManifest): PodManifest {
  const merged: object = mergeObjects({ metadata, spec }, { ...fixed });
  return merged as PodManifest;
}

/** Containers of the launcher that this Pod does without: what a template says of them has nothing to be merged into. */
function listAbsent({ spec }: PodManifest): string[] {
  const present = [...spec.containers, ...(spec.initContainers ?? [])].map(({ name }) => name);
  return OWN_CONTAINERS.filter((name) => !present.includes(name));
}

/** Sidecars start first: the launcher's init containers may need the network that one of them gives. */
function sortInits(containers: readonly Container[]): Container[] {
  const isSidecar = ({ restartPolicy }: Container) => restartPolicy === 'Always';
  return [...containers.filter(isSidecar), ...containers.filter((container) => !isSidecar(container))];
}

function hardenContainer(container: Container): Container {
  return { ...container, securityContext: { ...container.securityContext, ...buildContainerSecurity() } };
}
