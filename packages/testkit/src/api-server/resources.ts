/** The kinds of objects that the fake knows, by the name of their resource. */

export interface ResourceKind {
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

const namespaced = (resource: string, kind: string): ResourceKind => ({ resource, kind, namespaced: true });
const global = (resource: string, kind: string): ResourceKind => ({ resource, kind, namespaced: false });

export const RESOURCES: readonly ResourceKind[] = [
  namespaced('pods', 'Pod'),
  namespaced('secrets', 'Secret'),
  namespaced('events', 'Event'),
  namespaced('configmaps', 'ConfigMap'),
  namespaced('serviceaccounts', 'ServiceAccount'),
  namespaced('resourcequotas', 'ResourceQuota'),
  namespaced('limitranges', 'LimitRange'),
  namespaced('persistentvolumeclaims', 'PersistentVolumeClaim'),
  global('namespaces', 'Namespace'),
  global('nodes', 'Node'),
];

export function findResource(resource: string): ResourceKind | undefined {
  return RESOURCES.find((known) => known.resource === resource);
}
