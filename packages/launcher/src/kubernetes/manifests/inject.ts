/**
 * `inject_host`: the sandbox runs an image of the operator's choice, and tini, Node.js and the host come out of the host
 * image through a volume. They bring their own C library, so that the image may have another one or none.
 */
import type { Volume, VolumeMount } from 'kubernetes-types/core/v1.js';
import { MOUNTS } from './pod-options.ts';
import type { PodOptions } from './pod-options.ts';

/** In the host image: copies the host into the directory that is its argument. */
const INJECT_PROGRAM = '/opt/omnigent/inject';
/** Node.js, its libraries and the host take about 130 MB. */
const SIZE_LIMIT = '512Mi';
const VOLUME = 'omnigent-host';

export const isInjected = ({ config }: Pick<PodOptions, 'config'>): boolean => config.inject_host !== null;

/** The image that carries host and git: the injected one, where there is one. */
export function resolveHostImage({ config }: Pick<PodOptions, 'config'>): string {
  return config.inject_host?.image ?? config.image;
}

export const buildInjectCommand = (): string[] => [INJECT_PROGRAM, MOUNTS.host];

export function buildInjectVolume(): Volume {
  return { name: VOLUME, emptyDir: { sizeLimit: SIZE_LIMIT } };
}

/** Written by the init container; what runs in the sandbox cannot change the host under itself. */
export function buildInjectMount({ isReadOnly }: { readonly isReadOnly: boolean }): VolumeMount {
  return { name: VOLUME, mountPath: MOUNTS.host, ...(isReadOnly ? { readOnly: true } : {}) };
}

/** What a shell runs before it starts an injected host: the image's own programs come first, its git gets our defaults. */
export function renderInjectSetup(): string[] {
  return [`export PATH="$PATH:${MOUNTS.host}/bin" GIT_CONFIG_SYSTEM=${MOUNTS.host}/gitconfig`];
}

/** The program `omnigent`: by its path where it is injected, as the image may have another of that name. */
export function resolveHostProgram(options: Pick<PodOptions, 'config'>): string {
  return isInjected(options) ? `${MOUNTS.host}/bin/omnigent` : 'omnigent';
}
