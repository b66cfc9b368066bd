/** What a launch request means for a Pod. Pure. */
import { SANDBOX_WORKSPACE, SandboxError } from '@omnigent/protocol';
import type { PrepareWorkspace, Repository } from '@omnigent/protocol';
import type { LaunchRequest } from '../../port/launcher.ts';
import type { KubernetesConfig } from '../config/parse-config.ts';
import { buildPodManifest } from '../manifests/pod.ts';
import { buildTokenSecretManifest } from '../manifests/token-secret.ts';
import type { LaunchManifests } from './launch-manifests.ts';

export interface BuildLaunchOptions {
  readonly config: KubernetesConfig;
  readonly instance: string;
  readonly podName: string;
}

const CLONE_SECONDS = 3_600;

/** Both objects of a launch. @throws SandboxError `invalid_config` when `pod_template` would weaken the Pod. */
export function buildLaunchManifests(
  { config, instance, podName }: BuildLaunchOptions,
  request: LaunchRequest,
): LaunchManifests {
  const { hostId, hostName, serverUrl, repositories, agent, env, hostConfig, lifetimeSeconds, token } =
    request;
  const pod = buildPodManifest({
    config,
    podName,
    hostId,
    hostName,
    instance,
    serverUrl,
    repositories,
    env,
    lifetimeSeconds,
    ...(agent === undefined ? {} : { agent }),
    ...(hostConfig === undefined ? {} : { hostConfig }),
  });
  const { namespace } = config;
  return { pod, secret: buildTokenSecretManifest({ namespace, podName, hostId, instance, token }) };
}

/** The clone of a single repository, else the directory above all of them. */
export function resolveWorkspace(repositories: readonly Repository[]): string {
  const [only] = repositories;
  const isSingle = only !== undefined && repositories.length === 1;
  return isSingle ? `${SANDBOX_WORKSPACE}/${only.directory}` : SANDBOX_WORKSPACE;
}

function toEntry({ url, branch, directory }: Repository): PrepareWorkspace['repositories'][number] {
  return { url, directory, ...(branch === undefined ? {} : { branch }) };
}

/**
 * What the server has to ask of the host; null when there is nothing to clone and the directory is made. What the init
 * container has cloned is asked for, too: the host takes it as it is, and starts programs in it.
 */
export function buildPrepare(
  {
    git = { submodules: false, lfs: 'skip' },
    stage_timeouts: timeouts,
    workspace_prep: by,
  }: KubernetesConfig,
  repositories: readonly Repository[],
): PrepareWorkspace | null {
  if (by === 'init' && repositories.length === 0) return null;
  const { submodules, lfs, depth, filter } = git;
  return {
    repositories: repositories.map(toEntry),
    git: {
      submodules,
      lfs,
      ...(depth === undefined ? {} : { depth }),
      ...(filter === undefined ? {} : { filter }),
    },
    timeout_seconds: timeouts?.cloning ?? CLONE_SECONDS,
  };
}

/** A Pod sees nothing of the server's machine. @throws SandboxError `invalid_repository` for a path. */
export function checkRepositories(repositories: readonly Repository[]): void {
  const path = repositories.find(({ url }) => url.startsWith('/'))?.url;
  if (path === undefined) return;
  throw new SandboxError(
    'invalid_repository',
    `repository "${path}" is a path of the server's machine; a Pod clones https://HOST/PATH or git@HOST:PATH only`,
  );
}
