/** Chooses the provider. Each is loaded when it is asked for, so that a laptop never loads Kubernetes code. */
import type { Clock, ProviderName, RandomBytes } from '@omnigent/protocol';
import type { SandboxLauncher } from './port/launcher.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface CreateLauncherOptions {
  readonly provider: ProviderName;
  /** The provider's section of the configuration (`sandbox.kubernetes`, `sandbox.local`); undefined is empty. */
  readonly config: unknown;
  readonly environment: Environment;
  /** Which server installation owns what is created. */
  readonly instance: string;
  readonly stateDirectory: string;
  /** The Node.js and the bundled host that local sandboxes run. */
  readonly nodePath: string;
  readonly hostBundle: string;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/** Creates the launcher of a provider. @throws SandboxError `invalid_config` that names the key. */
export async function createLauncher(options: CreateLauncherOptions): Promise<SandboxLauncher> {
  if (options.provider === 'local') {
    const { createLocalLauncher, parseLocalConfig } = await import('./local/index.ts');
    return createLocalLauncher({ ...options, config: parseLocalConfig(options.config, options.environment) });
  }
  const { createKubernetesLauncher } = await import('./kubernetes/index.ts');
  return await createKubernetesLauncher(options);
}

/** Checks a provider's section of the configuration. @throws SandboxError `invalid_config` that names the key or variable. */
export async function parseProviderConfig(
  provider: ProviderName,
  section: unknown,
  environment: Environment,
): Promise<void> {
  if (provider === 'local') {
    const { parseLocalConfig } = await import('./local/index.ts');
    parseLocalConfig(section, environment);
  } else {
    const { parseKubernetesConfig } = await import('./kubernetes/index.ts');
    parseKubernetesConfig(section, environment);
  }
}
