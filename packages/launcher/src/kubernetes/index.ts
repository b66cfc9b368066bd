import { SandboxError } from '@omnigent/protocol';
import type { CreateLauncherOptions } from '../create-launcher.ts';
import type { SandboxLauncher } from '../port/launcher.ts';

export async function createKubernetesLauncher(_options: CreateLauncherOptions): Promise<SandboxLauncher> {
  throw new SandboxError('capability', 'the kubernetes provider is not part of this build');
}

export function parseKubernetesConfig(_section: unknown, _environment: Readonly<Record<string, string | undefined>>): void {
  throw new SandboxError('capability', 'the kubernetes provider is not part of this build');
}
