import type { PodManifest } from '../manifests/pod-manifest.ts';
import type { SecretManifest } from '../manifests/token-secret.ts';

/** The two objects of a launch. */
export interface LaunchManifests {
  readonly pod: PodManifest;
  readonly secret: SecretManifest;
}
