/** A Pod of a small launch, for tests that look at one decision. */
import type { Container } from 'kubernetes-types/core/v1.js';
import { parseKubernetesConfig } from '../../config/parse-config.ts';
import { buildPodManifest } from '../pod.ts';
import type { PodManifest } from '../pod-manifest.ts';
import type { PodOptions } from '../pod-options.ts';

export function buildTestPod(section: unknown = {}, more: Partial<PodOptions> = {}): PodManifest {
  return buildPodManifest({
    config: parseKubernetesConfig(section, {}),
    podName: 'omnigent-demo-0a1b2c',
    hostId: 'h0123456789ab',
    hostName: 'demo',
    instance: 'test',
    serverUrl: 'http://server:8080/',
    repositories: [],
    env: {},
    lifetimeSeconds: 3600,
    ...more,
  });
}

/** A container by name, wherever it stands. */
export function findTestContainer({ spec }: PodManifest, name: string): Container {
  const found = [...(spec.initContainers ?? []), ...spec.containers].find((one) => one.name === name);
  if (found === undefined) throw new Error(`expected a container ${name}, found none`);
  return found;
}

/** The script of a container, as its shell gets it: Kubernetes has turned `$$` into `$`. */
export function readScript(pod: PodManifest, name: string): string {
  return (findTestContainer(pod, name).command?.[2] ?? '').replaceAll('$$', '$');
}
