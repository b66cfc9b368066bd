/** A Pod about to be sent: kind, name and spec are always there. */
import type { Pod, PodSpec } from 'kubernetes-types/core/v1.js';

export type PodManifest = Pod & {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly metadata: { readonly name: string };
  readonly spec: PodSpec;
};
