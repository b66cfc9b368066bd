/** Kubeconfigs in files, and the launchers that use them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SandboxLauncher } from '@omnigent/launcher';
import { openLauncher } from './launch-subject.ts';
import type { KubernetesSection } from './launch-subject.ts';

export interface LauncherPlace {
  readonly kubeconfig: string;
  readonly namespace: string;
}

export interface KubeconfigDirectory {
  open(place: LauncherPlace, section?: KubernetesSection): Promise<SandboxLauncher>;
  close(): Promise<void>;
}

export async function createKubeconfigDirectory(): Promise<KubeconfigDirectory> {
  const directory = await mkdtemp(path.join(tmpdir(), 'omnigent-launch-'));
  const launchers: SandboxLauncher[] = [];
  return {
    async open({ kubeconfig: text, namespace }, section) {
      const kubeconfig = path.join(directory, `config-${launchers.length}`);
      await writeFile(kubeconfig, text, { mode: 0o600 });
      const launcher = await openLauncher({ kubeconfig, namespace, section });
      launchers.push(launcher);
      return launcher;
    },
    async close() {
      await Promise.all(launchers.map((launcher) => launcher.close()));
      await rm(directory, { recursive: true });
    },
  };
}
