/** The contract's subject over the cluster of KUBECONFIG, in a namespace of its own. */
import { randomBytes } from 'node:crypto';
import type { ApiSubject } from './api-subject.ts';
import { kubectl, kubectlApply } from './kubectl.ts';
import { createKubeconfigFiles } from './open-clients.ts';

/** Why a test cannot use a real cluster; null where it can. */
export const CLUSTER_OBSTACLE = process.env['KUBECONFIG'] ? null : '(not run: KUBECONFIG is not set)';

interface UserEntry {
  readonly name: string;
  readonly user: object;
}

/** The ambient kubeconfig with its user changed. */
export async function readKubeconfig(change: (entry: UserEntry) => UserEntry): Promise<string> {
  const config = JSON.parse(await kubectl('config', 'view', '--raw', '--flatten', '-o', 'json')) as {
    users: UserEntry[];
  };
  return JSON.stringify({ ...config, users: config.users.map(change) });
}

/** Makes a namespace that enforces the restricted profile. */
export async function createNamespace(): Promise<string> {
  const name = `contract-${randomBytes(3).toString('hex')}`;
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await kubectlApply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  return name;
}

/** Deletes it without waiting. */
export async function deleteNamespace(name: string): Promise<void> {
  await kubectl('delete', 'namespace', name, '--wait=false');
}

export async function openClusterSubject(): Promise<ApiSubject> {
  const namespace = await createNamespace();
  const files = await createKubeconfigFiles();
  const admin = await readKubeconfig((entry) => entry);
  const powerless = await readKubeconfig(({ name, user }) => ({
    name,
    user: { ...user, as: `system:serviceaccount:${namespace}:nobody` },
  }));
  const unauthenticated = await readKubeconfig(({ name }) => ({ name, user: { token: 'not-a-token' } }));
  return {
    client: await files.open(admin, namespace),
    powerless: await files.open(powerless, namespace),
    unauthenticated: await files.open(unauthenticated, namespace),
    elsewhere: await files.open(admin, `${namespace}-not`),
    async limitPods(count) {
      await kubectl('create', 'quota', 'contract', `--hard=pods=${count}`, '-n', namespace);
    },
    async annotatePod(name, value) {
      await kubectl('annotate', 'pod', name, `omnigent.ai/contract=${value}`, '-n', namespace);
    },
    async close() {
      await files.close();
      await deleteNamespace(namespace);
    },
  };
}
