/** The real cluster of the tests: found by KUBECONFIG, spoken to by kubectl. */
import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { join } from 'node:path';

const run = promisify(execFile);

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** The script that started the cluster; it loads images and makes users. */
export const CLUSTER = process.env['OMNIGENT_TEST_CLUSTER'] ?? join(ROOT, '../shared/kube/cluster');

/** Whether there is a cluster to test on. */
export const HAS_CLUSTER = (process.env['KUBECONFIG'] ?? '') !== '';

/** Address at which Pods reach this machine. */
export const HOST_ADDRESS = process.env['CLUSTER_HOST_IP'] ?? '';

/** Runs kubectl as the administrator; `input` goes to its stdin. */
export async function kubectl(args: readonly string[], input?: string): Promise<string> {
  const child = run('kubectl', [...args], { maxBuffer: 64 * 1024 * 1024 });
  child.child.stdin?.end(input);
  return (await child).stdout;
}

/** A kubeconfig for a client certificate of that user, who has no rights until RBAC gives it some. */
export function buildUserKubeconfig(user: string): string {
  return execFileSync(CLUSTER, ['user', user], { encoding: 'utf8' });
}
