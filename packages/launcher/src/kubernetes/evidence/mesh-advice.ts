/** A service mesh that redirects traffic before its proxy runs breaks a clone in an init container. */
import type { Pod } from '../api/objects/pod.ts';

const MESH_INIT = /^(istio-(init|validation)|linkerd-(init|network-validator))$/;
const NO_NETWORK = /Connection refused|Could not resolve host|Failed to connect/i;

/** Advice when a mesh is in the Pod and the log says that nothing could be reached; else none. */
export function findMeshAdvice(pod: Pod, log: string): string[] {
  const hasMesh = pod.spec.initContainers.some(({ name }) => MESH_INIT.test(name));
  if (!hasMesh || !NO_NETWORK.test(log)) return [];
  return [
    'A service mesh redirects traffic before its proxy runs: use workspace_prep: host, or its native sidecars.',
  ];
}
