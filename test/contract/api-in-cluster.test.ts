/** The configuration as a Pod with a ServiceAccount has it: environment, token file, CA file. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openClusterClient } from '@omnigent/launcher';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLUSTER_OBSTACLE, createNamespace, deleteNamespace, readKubeconfig } from './api/cluster-subject.ts';
import { kubectl } from './api/kubectl.ts';

const signal = AbortSignal.timeout(60_000);

describe.skipIf(CLUSTER_OBSTACLE !== null)(`an in-cluster configuration ${CLUSTER_OBSTACLE ?? ''}`, () => {
  let namespace: string;
  let directory: string;
  let environment: Record<string, string>;

  beforeEach(async () => {
    namespace = await createNamespace();
    directory = await mkdtemp(path.join(tmpdir(), 'omnigent-account-'));
    const kubeconfig = await readKubeconfig((entry) => entry);
    const [address = ''] = /https:\/\/[^"]+/.exec(kubeconfig) ?? [];
    const [, authority = ''] = /"certificate-authority-data":\s*"([^"]*)"/.exec(kubeconfig) ?? [];
    const { hostname, port } = new URL(address);
    environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    await writeFile(path.join(directory, 'ca.crt'), Buffer.from(authority, 'base64'));
    await kubectl('create', 'serviceaccount', 'server', '-n', namespace);
    await writeToken(await kubectl('create', 'token', 'server', '-n', namespace));
  });

  afterEach(async () => {
    await deleteNamespace(namespace);
    await rm(directory, { recursive: true });
  });

  const writeToken = (token: string) => writeFile(path.join(directory, 'token'), token);
  const open = () =>
    openClusterClient({ environment, serviceAccountDirectory: directory, namespace, watchLabels: {} });

  it('speaks for the ServiceAccount', async () => {
    const client = await open();
    await expect(client.getPod('p1', { signal })).rejects.toMatchObject({
      fault: {
        kind: 'forbidden',
        user: `system:serviceaccount:${namespace}:server`,
        verb: 'get',
        resource: 'pods',
      },
    });
    await client.close();
  });

  it('goes on with a token that was replaced in its file', async () => {
    const token = await kubectl('create', 'token', 'server', '-n', namespace);
    await writeToken('an expired token');
    const client = await open();
    await expect(client.getPod('p1', { signal })).rejects.toMatchObject({ code: 'cluster_unauthorized' });
    await writeToken(token);
    await expect(client.getPod('p1', { signal })).rejects.toMatchObject({ code: 'cluster_forbidden' });
    await client.close();
  });
});
