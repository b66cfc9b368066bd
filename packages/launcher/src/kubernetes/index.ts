import type { CreateLauncherOptions } from '../create-launcher.ts';
import type { SandboxLauncher } from '../port/launcher.ts';
import { parseKubernetesConfig } from './config/parse-config.ts';
import { KubernetesLauncher } from './kubernetes-launcher.ts';

export { parseKubernetesConfig } from './config/parse-config.ts';
export type { KubernetesConfig } from './config/parse-config.ts';
export { DEFAULT_HOST_IMAGE, SETTINGS } from './config/settings-table.ts';
export { KubernetesLauncher } from './kubernetes-launcher.ts';
export { buildPodManifest } from './manifests/pod.ts';
export type { PodManifest } from './manifests/pod-manifest.ts';
export type { PodOptions } from './manifests/pod-options.ts';
export { buildTokenSecretManifest } from './manifests/token-secret.ts';
export type { TokenSecretOptions } from './manifests/token-secret.ts';
export { buildPodName, buildTokenSecretName } from './names/object-names.ts';
export { RIGHTS } from './rights/rights.ts';

/** Creates the launcher of a configuration section; the cluster is connected to when it is first needed. */
export async function createKubernetesLauncher(options: CreateLauncherOptions): Promise<SandboxLauncher> {
  return new KubernetesLauncher({
    ...options,
    config: parseKubernetesConfig(options.config, options.environment),
  });
}
