import type { CreateLauncherOptions } from '../create-launcher.ts';
import type { SandboxLauncher } from '../port/launcher.ts';
import { parseKubernetesConfig } from './config/parse-config.ts';
import { KubernetesLauncher } from './kubernetes-launcher.ts';

export { parseKubernetesConfig } from './config/parse-config.ts';

/** Creates the launcher of a configuration section; the cluster is connected to when it is first needed. */
export async function createKubernetesLauncher(options: CreateLauncherOptions): Promise<SandboxLauncher> {
  return new KubernetesLauncher({
    ...options,
    config: parseKubernetesConfig(options.config, options.environment),
  });
}
