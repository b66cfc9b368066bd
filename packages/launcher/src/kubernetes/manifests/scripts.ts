/** The shell scripts of the two containers. Every interpolated value is quoted. */
import { SANDBOX_HOME, SANDBOX_WORKSPACE } from '@omnigent/protocol';
import { renderRetry, renderClone } from './clone-script.ts';
import { CONFIG_VARIABLE } from './environment.ts';
import { renderHostConfig } from './host-config.ts';
import { isInjected, renderInjectSetup, resolveHostProgram } from './inject.ts';
import { MOUNTS } from './pod-options.ts';
import type { PodOptions } from './pod-options.ts';
import { renderReaper } from './reaper.ts';
import { quoteShell } from './shell.ts';
import { renderSsh } from './ssh-script.ts';

const STATE = `${SANDBOX_HOME}/.omnigent`;
const CA_FILE = `${STATE}/ca.pem`;

/** git and curl replace the system's roots by the given file, so both go into one. */
function renderCaBundle({ config }: PodOptions): string[] {
  if (config.ca_bundle === undefined) return [];
  const own = quoteShell(`${MOUNTS.ca}/${config.ca_bundle.key}`);
  return [
    `mkdir -p ${STATE}`,
    `cat /etc/ssl/certs/ca-certificates.crt ${own} > ${CA_FILE} 2>/dev/null || cat ${own} > ${CA_FILE}`,
    `export GIT_SSL_CAINFO=${CA_FILE} SSL_CERT_FILE=${CA_FILE} CURL_CA_BUNDLE=${CA_FILE} REQUESTS_CA_BUNDLE=${CA_FILE} NODE_EXTRA_CA_CERTS=${own}`,
  ];
}

/** What both containers need before git or the host runs. */
function renderSetup({ config, ...options }: PodOptions): string[] {
  return ['set -e', ...renderCaBundle({ config, ...options }), ...renderSsh(config.git)];
}

/** The script of the init container: makes the workspace, clones. */
export function buildWorkspaceScript(options: PodOptions): string {
  const { config, repositories } = options;
  return [
    ...renderSetup(options),
    `mkdir -p ${SANDBOX_WORKSPACE}`,
    ...(repositories.length === 0 ? [] : [renderRetry()]),
    ...repositories.map((repository) => renderClone(repository, config.git)),
  ].join('\n');
}

/** By a variable and base64: no quoting between here and the file. Programs do not inherit the variable. */
function renderConfigFile(options: PodOptions): string[] {
  if (renderHostConfig(options) === undefined) return [];
  return [
    `mkdir -p ${STATE}`,
    `printf %s "$${CONFIG_VARIABLE}" | base64 -d > ${STATE}/config.yaml`,
    `unset ${CONFIG_VARIABLE}`,
  ];
}

/** The script of the host container: becomes the reaper that runs the host. */
export function buildHostScript(options: PodOptions): string {
  return [
    ...renderSetup(options),
    ...(options.config.workspace_prep === 'host' ? [`mkdir -p ${SANDBOX_WORKSPACE}`] : []),
    ...renderConfigFile(options),
    ...(isInjected(options) ? renderInjectSetup() : []),
    renderReaper([resolveHostProgram(options), 'host', '--server', options.serverUrl]),
  ].join('\n');
}
