/** The contract's subject over the cluster of KUBECONFIG, in a namespace of its own that enforces the restricted profile. */
import { createNamespace, deleteNamespace, readKubeconfig } from '../api/cluster-subject.ts';
import { kubectl, kubectlApply } from '../api/kubectl.ts';
import { createKubeconfigDirectory } from './kubeconfig-directory.ts';
import type { LaunchSubject } from './launch-subject.ts';

export async function openClusterLaunches(): Promise<LaunchSubject> {
  const namespace = await createNamespace();
  await kubectlApply({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'omnigent-runner', namespace },
    automountServiceAccountToken: false,
  });
  const files = await createKubeconfigDirectory();
  const kubeconfig = await readKubeconfig((entry) => entry);
  const powerless = await readKubeconfig(({ name, user }) => ({
    name,
    user: { ...user, as: `system:serviceaccount:${namespace}:nobody` },
  }));
  return {
    open: (section) => files.open({ kubeconfig, namespace }, section),
    openPowerless: () => files.open({ kubeconfig: powerless, namespace }),
    async listObjects() {
      const output = await kubectl('get', 'pods,secrets', '-n', namespace, '-o', 'name');
      return output.split('\n').filter((line) => line !== '');
    },
    async limitPods(count) {
      await kubectl('create', 'quota', 'contract', `--hard=pods=${count}`, '-n', namespace);
    },
    async deletePod(name) {
      await kubectl('delete', 'pod', name, '-n', namespace, '--wait=false');
    },
    async close() {
      await files.close();
      await deleteNamespace(namespace);
    },
  };
}
