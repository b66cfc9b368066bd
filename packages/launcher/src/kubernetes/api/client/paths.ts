/** Paths of the Kubernetes API. Names are encoded, though every name that Kubernetes accepts needs none. */

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** `?a=1&b=2`, without what is undefined; empty for nothing. */
export function buildQuery(query: Query): string {
  const entries = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as [string, string]],
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}

/** `app=omnigent,role=host`. */
export function buildLabelSelector(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** Path of a namespaced resource of the core group, such as `pods` or `pods/NAME/log`. */
export function buildNamespacedPath(namespace: string, ...segments: string[]): string {
  return ['/api/v1/namespaces', ...[namespace, ...segments].map(encodeURIComponent)].join('/');
}
