/** ssh for git: key and known hosts where git of both containers finds them. */
import { SANDBOX_HOME } from '@omnigent/protocol';
import type { KubernetesConfig } from '../config/parse-config.ts';
import { MOUNTS } from './pod-options.ts';
import { quoteShell } from './shell.ts';

const DIRECTORY = `${SANDBOX_HOME}/.ssh`;
const KEY = `${DIRECTORY}/omnigent_key`;
const KNOWN_HOSTS = `${DIRECTORY}/omnigent_known_hosts`;

function renderKnownHosts(knownHosts: string | undefined): string {
  if (knownHosts !== undefined) return `printf '%s\\n' ${quoteShell(knownHosts)} > ${KNOWN_HOSTS}`;
  const given = `${MOUNTS.ssh}/known_hosts`;
  return `if [ -e ${given} ]; then install -m 600 ${given} ${KNOWN_HOSTS}; fi`;
}

/** ssh refuses a key that others may read, and a Secret volume's files are the group's: copied, for the owner only. */
export function renderSsh(git: KubernetesConfig['git']): string[] {
  const { ssh_secret: secret, known_hosts: knownHosts } = git ?? {};
  if (secret === undefined && knownHosts === undefined) return [];
  const key = secret === undefined ? [] : [`install -m 600 ${MOUNTS.ssh}/ssh-privatekey ${KEY}`];
  const identity = secret === undefined ? '' : ` -i ${KEY} -o IdentitiesOnly=yes`;
  const command = `ssh -o BatchMode=yes -o ConnectTimeout=20 -o StrictHostKeyChecking=yes -o UserKnownHostsFile=${KNOWN_HOSTS}${identity}`;
  return [
    `mkdir -p -m 700 ${DIRECTORY}`,
    ...key,
    renderKnownHosts(knownHosts),
    `export GIT_SSH_COMMAND=${quoteShell(command)}`,
  ];
}
