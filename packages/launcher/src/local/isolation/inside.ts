/** Paths inside every isolated sandbox. */
import { SANDBOX_HOME, SANDBOX_UID, SANDBOX_USER } from '@omnigent/protocol';

/** Where a sandbox finds its host. */
export const INSIDE = {
  root: '/opt/omnigent',
  bin: '/opt/omnigent/bin',
  node: '/opt/omnigent/bin/node',
  host: '/opt/omnigent/host',
  compileCache: '/opt/omnigent/compile-cache',
} as const;

/** The passwd file that makes `whoami` and `git commit` work. */
export const PASSWD = [
  'root:x:0:0:root:/root:/usr/sbin/nologin',
  `${SANDBOX_USER}:x:${SANDBOX_UID}:${SANDBOX_UID}:Sandbox:${SANDBOX_HOME}:/bin/bash`,
  'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
  '',
].join('\n');

/** The group file that goes with {@link PASSWD}. */
export const GROUP = [`root:x:0:`, `${SANDBOX_USER}:x:${SANDBOX_UID}:`, 'nogroup:x:65534:', ''].join('\n');

/** The machine's hosts file with the sandbox's own name, which some programs look up at their start. */
export function buildHosts(machineHosts: string): string {
  const base = machineHosts === '' || machineHosts.endsWith('\n') ? machineHosts : `${machineHosts}\n`;
  return `${base}127.0.0.1 ${SANDBOX_USER}\n`;
}
