/** Environment of the containers, in a fixed order. Values are data: `$` reaches the process unchanged. */
import type { EnvVar } from 'kubernetes-types/core/v1.js';
import { HOST_ENVIRONMENT, SANDBOX_HOME } from '@omnigent/protocol';
import { buildTokenSecretName } from '../names/object-names.ts';
import type { PodOptions } from './pod-options.ts';
import { escapeExpansion } from './shell.ts';

const literal = (name: string, value: string): EnvVar => ({ name, value: escapeExpansion(value) });

/** Proxy variables in both spellings: programs read one or the other. */
function buildProxy({ config }: PodOptions): Record<string, string> {
  const { http, https, no_proxy: noProxy } = config.proxy ?? {};
  const values = { HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: noProxy };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [
            [name, value],
            [name.toLowerCase(), value],
          ],
    ),
  );
}

/** Environment of the init container. */
export function buildWorkspaceEnvironment(options: PodOptions): EnvVar[] {
  const proxy = Object.entries(buildProxy(options)).map(([name, value]) => literal(name, value));
  return [literal('HOME', SANDBOX_HOME), literal('GIT_TERMINAL_PROMPT', '0'), ...proxy];
}

/** Environment of the host container. */
export function buildHostEnvironment(options: PodOptions): EnvVar[] {
  const { config, podName, hostId, hostName, env, hostConfig } = options;
  const literals = { ...config.passthrough, ...config.env_values, ...buildProxy(options), ...env };
  const merged = { ...config.host_config, ...hostConfig };
  const isConfigured = config.host_config !== undefined || hostConfig !== undefined;
  return [
    literal('HOME', SANDBOX_HOME),
    literal(HOST_ENVIRONMENT.isSandbox, '1'),
    literal(HOST_ENVIRONMENT.id, hostId),
    literal(HOST_ENVIRONMENT.name, hostName),
    {
      name: HOST_ENVIRONMENT.token,
      valueFrom: { secretKeyRef: { name: buildTokenSecretName(podName), key: HOST_ENVIRONMENT.token } },
    },
    ...Object.entries(literals).map(([name, value]) => literal(name, value)),
    // JSON is YAML; base64 keeps it byte-exact.
    ...(isConfigured
      ? [literal('OMNIGENT_HOST_CONFIG', Buffer.from(JSON.stringify(merged)).toString('base64'))]
      : []),
  ];
}
