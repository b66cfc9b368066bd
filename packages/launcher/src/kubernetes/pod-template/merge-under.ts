/** `pod_template` under what the launcher fixes. */
import type { Container } from 'kubernetes-types/core/v1.js';
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
  const initContainers = sortInits(spec.initContainers ?? []).map(hardenContainer);
  return {
    ...rest,
    spec: {
      ...spec,
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

/** Sidecars start first: the launcher's init containers may need the network that one of them gives. */
function sortInits(containers: readonly Container[]): Container[] {
  const isSidecar = ({ restartPolicy }: Container) => restartPolicy === 'Always';
  return [...containers.filter(isSidecar), ...containers.filter((container) => !isSidecar(container))];
}

function hardenContainer(container: Container): Container {
  return { ...container, securityContext: { ...container.securityContext, ...buildContainerSecurity() } };
}
