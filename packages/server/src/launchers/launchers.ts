/** The launchers of this server, each created when it is first asked for. */
import { createLauncher, parseProviderConfig } from '@omnigent/launcher';
import type { CreateLauncherOptions, SandboxLauncher } from '@omnigent/launcher';
import type { ProviderName } from '@omnigent/protocol';

export interface Launchers {
  get(provider: ProviderName): Promise<SandboxLauncher>;
  close(): Promise<void>;
}

/** Checks every configured provider now, so that a typo stops the server and never the first launch. */
export async function createLaunchers(
  options: Omit<CreateLauncherOptions, 'provider' | 'config'>,
  sections: Partial<Record<ProviderName, unknown>>,
): Promise<Launchers> {
  for (const provider of ['kubernetes', 'local'] as const) {
    if (sections[provider] !== undefined)
      await parseProviderConfig(provider, sections[provider], options.environment);
  }
  const created = new Map<ProviderName, Promise<SandboxLauncher>>();
  return {
    async get(provider) {
      const launcher =
        created.get(provider) ?? createLauncher({ ...options, provider, config: sections[provider] });
      created.set(provider, launcher);
      // A failure is not kept: the next call tries again.
      launcher.catch(() => created.delete(provider));
      return await launcher;
    },
    async close() {
      const settled = await Promise.allSettled([...created.values()]);
      const open = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      await Promise.all(open.map((launcher) => launcher.close()));
    },
  };
}
