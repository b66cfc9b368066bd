/** The contract's subject over the fake API server. */
import { createFakeApiServer, neverScheduled } from '@omnigent/testkit';
import type { FakeApiServer } from '@omnigent/testkit';
import type { ApiSubject } from './api-subject.ts';
import { createKubeconfigFiles } from './open-clients.ts';

const NAMESPACE = 'contract';

/** Refuses Pods as the ResourceQuota admission does, and shows the quota. */
function limitPods(api: FakeApiServer, count: number): void {
  const limited = `pods=${count}`;
  api.admission.push((object, { resource }) => {
    const used = api.store.list('pods', NAMESPACE).length;
    if (resource !== 'pods' || used < count) return null;
    const facts = `exceeded quota: contract, requested: pods=1, used: pods=${used}, limited: ${limited}`;
    return {
      code: 403,
      reason: 'Forbidden',
      message: `pods "${object.metadata.name}" is forbidden: ${facts}`,
      details: { name: object.metadata.name, kind: 'pods' },
    };
  });
  api.store.put(
    { resource: 'resourcequotas', namespace: NAMESPACE, name: 'contract' },
    { metadata: { name: 'contract', namespace: NAMESPACE }, status: { hard: { pods: String(count) } } },
  );
}

/** Starts a fake server whose nodes take no Pod. */
export async function openFakeSubject(): Promise<ApiSubject> {
  const api = await createFakeApiServer({ namespaces: [NAMESPACE], script: neverScheduled() });
  const restricted = await createFakeApiServer({ namespaces: [NAMESPACE] });
  api.kubelet.terminationMs = null;
  restricted.rights.deny({});
  restricted.rights.acceptTokens(['fake-token']);
  const files = await createKubeconfigFiles();
  return {
    client: await files.open(api.kubeconfig, NAMESPACE),
    powerless: await files.open(restricted.kubeconfig, NAMESPACE),
    unauthenticated: await files.open(restricted.kubeconfig.replace('fake-token', 'another'), NAMESPACE),
    elsewhere: await files.open(api.kubeconfig, 'no-such-namespace'),
    async limitPods(count) {
      limitPods(api, count);
    },
    async annotatePod(name, value) {
      const key = { resource: 'pods', namespace: NAMESPACE, name };
      const pod = api.store.get(key);
      if (pod === undefined) throw new Error(`there is no Pod ${name}`);
      api.store.put(key, {
        ...pod,
        metadata: { ...pod.metadata, annotations: { 'omnigent.ai/contract': value } },
      });
    },
    async close() {
      await files.close();
      await Promise.all([api.close(), restricted.close()]);
    },
  };
}
