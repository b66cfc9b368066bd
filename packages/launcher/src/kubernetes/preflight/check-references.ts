/** Objects that the configuration names: a Pod that needs one that does not exist never starts. */
import type { Finding } from '@omnigent/protocol';
import { isClusterError } from '../api/cluster-error.ts';
import type { KubernetesConfig } from '../config/parse-config.ts';
import type { Check, CheckContext } from './check.ts';
import { buildOk, buildProblem, buildUnknown } from './finding.ts';

/** Secrets by the key of the configuration that names them. */
export function listSecrets(config: KubernetesConfig): { readonly key: string; readonly name: string }[] {
  const named = [
    { key: 'secret_name', name: config.secret_name },
    ...(config.image_pull_secrets ?? []).map((name) => ({ key: 'image_pull_secrets', name })),
    ...(config.secret_mounts ?? []).map(({ secret_name: name }) => ({ key: 'secret_mounts', name })),
    { key: 'ca_bundle', name: config.ca_bundle?.secret },
    { key: 'git.ssh_secret', name: config.git?.ssh_secret },
  ];
  return named.flatMap(({ key, name }) => (name === undefined ? [] : [{ key, name }]));
}

/** What nobody with the launcher's rights can look up; a launch names it when it is missing. */
function listUnseen(config: KubernetesConfig): string[] {
  const claims = (config.pvc_mounts ?? []).map(
    ({ claim_name: name }) => `PersistentVolumeClaim ${name} (pvc_mounts)`,
  );
  const roots = config.ca_bundle?.config_map;
  return roots === undefined ? claims : [`ConfigMap ${roots} (ca_bundle)`, ...claims];
}

async function checkSecret(
  { client, signal }: CheckContext,
  { key, name }: { readonly key: string; readonly name: string },
): Promise<Finding> {
  const what = `Secret ${name} (${key})`;
  try {
    if (await client.hasSecret(name, { signal })) return buildOk('secret', `${what} exists`);
    return buildProblem(
      'secret',
      `${what} does not exist in namespace ${client.namespace}`,
      'secret_not_found',
    );
  } catch (error) {
    if (isClusterError(error, 'forbidden')) return buildUnknown('secret', `${what} may not be looked up`);
    throw error;
  }
}

export const checkReferences: Check = async (context) => {
  const secrets = await Promise.all(
    listSecrets(context.config).map((secret) => checkSecret(context, secret)),
  );
  const unseen = listUnseen(context.config).map((what) =>
    buildUnknown('reference', `${what} cannot be looked up`),
  );
  return [...secrets, ...unseen];
};
