/** Environment of the containers, in a fixed order. Values are data: `$` reaches the process unchanged. */
import type { EnvVar } from 'kubernetes-types/core/v1.js';
import { HOST_ENVIRONMENT, RESERVED_ENVIRONMENT, SANDBOX_HOME } from '@omnigent/protocol';
import { buildTokenSecretName } from '../names/object-names.ts';
import { renderHostConfig } from './host-config.ts';
import type { PodOptions } from './pod-options.ts';
import { escapeExpansion } from './shell.ts';

/** Carries the host's configuration to the script that writes the file; base64 keeps it byte-exact. */
export const CONFIG_VARIABLE = 'OMNIGENT_HOST_CONFIG';

const literal = (name: string, value: string): EnvVar => ({ name, value: escapeExpansion(value) });
const literals = (values: Readonly<Record<string, string>>): EnvVar[] =>
  Object.entries(values).map(([name, value]) => literal(name, value));

/** Proxy variables in both spellings: programs read one or the other. */
function buildProxy({ config }: PodOptions): Record<string, string> {
  const { http, https, no_proxy: noProxy } = config.proxy ?? {};
  const values = { HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: noProxy };
  const set = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(
    set.flatMap(([name, value]) => [
      [name, value],
      [name.toLowerCase(), value],
    ]),
  );
}

/** Keeps git from waiting for a person, or for a server that went silent; its errors are read, so they are English. */
const GIT_ENVIRONMENT = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_HTTP_LOW_SPEED_LIMIT: '1000',
  GIT_HTTP_LOW_SPEED_TIME: '60',
  LC_ALL: 'C.UTF-8',
};

/** Environment of the init container that makes the workspace. */
export function buildWorkspaceEnvironment(options: PodOptions): EnvVar[] {
  return literals({ HOME: SANDBOX_HOME, ...GIT_ENVIRONMENT, ...buildProxy(options) });
}

/** Environment of the host container. A name that the launcher sets itself is set once, by the launcher. */
export function buildHostEnvironment(options: PodOptions): EnvVar[] {
  const { config, podName, hostId, hostName, env } = options;
  const values = { ...config.passthrough, ...config.env_values, ...buildProxy(options), ...env };
  const free = Object.entries(values).filter(([name]) => !RESERVED_ENVIRONMENT.includes(name));
  const hostConfig = renderHostConfig(options);
  const encoded =
    hostConfig === undefined ? {} : { [CONFIG_VARIABLE]: Buffer.from(hostConfig).toString('base64') };
  return [
    literal('HOME', SANDBOX_HOME),
    literal(HOST_ENVIRONMENT.isSandbox, '1'),
    literal(HOST_ENVIRONMENT.id, hostId),
    literal(HOST_ENVIRONMENT.name, hostName),
    {
      name: HOST_ENVIRONMENT.token,
      valueFrom: { secretKeyRef: { name: buildTokenSecretName(podName), key: HOST_ENVIRONMENT.token } },
    },
    ...literals({ ...Object.fromEntries(free), ...encoded }),
  ];
}
