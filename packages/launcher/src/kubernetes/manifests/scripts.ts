/** The shell scripts of the two containers. Every interpolated value is quoted. */
import { SANDBOX_HOME, SANDBOX_WORKSPACE } from '@omnigent/protocol';
import { MOUNTS } from './pod-options.ts';
import type { PodOptions } from './pod-options.ts';
import { renderReaper } from './reaper.ts';
import { quoteShell } from './shell.ts';

const CA_FILE = `${SANDBOX_HOME}/.omnigent/ca.pem`;
const SSH_KEY = `${SANDBOX_HOME}/.ssh/omnigent_key`;
const SSH_KNOWN_HOSTS = `${SANDBOX_HOME}/.ssh/omnigent_known_hosts`;

/** git and curl replace the system's roots by the given file, so both go into one. */
function renderCaBundle({ config }: PodOptions): string[] {
  if (config.ca_bundle === undefined) return [];
  const own = `${MOUNTS.ca}/${config.ca_bundle.key}`;
  return [
    `mkdir -p ${SANDBOX_HOME}/.omnigent`,
    `cat /etc/ssl/certs/ca-certificates.crt ${quoteShell(own)} > ${CA_FILE} 2>/dev/null || cat ${quoteShell(own)} > ${CA_FILE}`,
    `export GIT_SSL_CAINFO=${CA_FILE} SSL_CERT_FILE=${CA_FILE} CURL_CA_BUNDLE=${CA_FILE} REQUESTS_CA_BUNDLE=${CA_FILE} NODE_EXTRA_CA_CERTS=${quoteShell(own)}`,
  ];
}

/** ssh refuses a key that others may read, and a Secret volume's files are the group's: copied, for the owner only. */
function renderSsh({ config }: PodOptions): string[] {
  const { ssh_secret: secret, known_hosts: knownHosts } = config.git ?? {};
  if (secret === undefined && knownHosts === undefined) return [];
  const key = secret === undefined ? [] : [`install -m 600 ${MOUNTS.ssh}/ssh-privatekey ${SSH_KEY}`];
  const hosts =
    knownHosts === undefined
      ? `if [ -e ${MOUNTS.ssh}/known_hosts ]; then install -m 600 ${MOUNTS.ssh}/known_hosts ${SSH_KNOWN_HOSTS}; fi`
      : `printf '%s\\n' ${quoteShell(knownHosts)} > ${SSH_KNOWN_HOSTS}`;
  const identity = secret === undefined ? '' : ` -i ${SSH_KEY} -o IdentitiesOnly=yes`;
  const command = `ssh -o BatchMode=yes -o ConnectTimeout=20 -o StrictHostKeyChecking=yes -o UserKnownHostsFile=${SSH_KNOWN_HOSTS}${identity}`;
  return [
    `mkdir -p -m 700 ${SANDBOX_HOME}/.ssh`,
    ...key,
    hosts,
    `export GIT_SSH_COMMAND=${quoteShell(command)}`,
  ];
}

/** What both containers need before git or the host runs. */
function renderSetup(options: PodOptions): string[] {
  return ['set -e', ...renderCaBundle(options), ...renderSsh(options)];
}

/** `git clone` of one repository. */
function renderClone({ config }: PodOptions, repository: PodOptions['repositories'][number]): string {
  const { depth, filter, submodules, lfs } = config.git ?? {};
  const words = [
    'git',
    'clone',
    ...(repository.branch === undefined ? [] : ['--branch', repository.branch, '--single-branch']),
    ...(depth === undefined ? [] : ['--depth', String(depth)]),
    ...(filter === undefined ? [] : [`--filter=${filter}`]),
    ...(submodules === true ? ['--recurse-submodules'] : []),
    '--',
    repository.url,
    `${SANDBOX_WORKSPACE}/${repository.directory}`,
  ];
  const skip = lfs === 'fetch' ? '' : 'GIT_LFS_SKIP_SMUDGE=1 ';
  return `${skip}${words.map(quoteShell).join(' ')}`;
}

/** The script of the init container: makes the workspace, clones. */
export function buildWorkspaceScript(options: PodOptions): string {
  return [
    ...renderSetup(options),
    `mkdir -p ${SANDBOX_WORKSPACE}`,
    ...options.repositories.map((repository) => renderClone(options, repository)),
  ].join('\n');
}

/** The script of the host container: becomes the reaper that runs the host. */
export function buildHostScript(options: PodOptions): string {
  const { config, hostConfig } = options;
  const isConfigured = config.host_config !== undefined || hostConfig !== undefined;
  return [
    ...renderSetup(options),
    ...(config.workspace_prep === 'host' ? [`mkdir -p ${SANDBOX_WORKSPACE}`] : []),
    // By a variable and base64: no quoting between here and the file.
    ...(isConfigured
      ? [
          `mkdir -p ${SANDBOX_HOME}/.omnigent`,
          `printf %s "$OMNIGENT_HOST_CONFIG" | base64 -d > ${SANDBOX_HOME}/.omnigent/config.yaml`,
        ]
      : []),
    renderReaper(['omnigent', 'host', '--server', options.serverUrl]),
  ].join('\n');
}
