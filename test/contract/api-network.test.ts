/** The client and a real API server with a bad network between them. */
import type { ClusterClient, PodObservation } from '@omnigent/launcher';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildPod, buildSecret } from './api/api-subject.ts';
import { CLUSTER_OBSTACLE, createNamespace, deleteNamespace, readKubeconfig } from './api/cluster-subject.ts';
import { startCutProxy } from './api/cut-proxy.ts';
import type { CutProxy } from './api/cut-proxy.ts';
import { kubectl } from './api/kubectl.ts';
import { createKubeconfigFiles } from './api/open-clients.ts';
import type { KubeconfigFiles } from './api/open-clients.ts';

const signal = AbortSignal.timeout(120_000);

describe.skipIf(CLUSTER_OBSTACLE !== null)(`a bad network ${CLUSTER_OBSTACLE ?? ''}`, () => {
  let namespace: string;
  let files: KubeconfigFiles;
  let proxy: CutProxy;
  let client: ClusterClient;

  beforeEach(async () => {
    namespace = await createNamespace();
    files = await createKubeconfigFiles();
    const direct = await readKubeconfig((entry) => entry);
    const [address = ''] = /https:\/\/[^"]+/.exec(direct) ?? [];
    const { hostname: host, port } = new URL(address);
    proxy = await startCutProxy({ host, port: Number(port) });
    client = await files.open(direct.replace(address, `https://127.0.0.1:${proxy.port}`), namespace);
  });

  afterEach(async () => {
    await files.close();
    await proxy.close();
    await deleteNamespace(namespace);
  });

  function follow(name: string): PodObservation[] {
    const observations: PodObservation[] = [];
    client.podWatch.subscribe({ name, onObservation: (observation) => observations.push(observation) });
    return observations;
  }

  const watching = () =>
    expect.poll(() => client.podWatch.health().state, { timeout: 20_000 }).toBe('watching');
  const annotate = (value: string) =>
    kubectl('annotate', 'pod', 's1', `omnigent.ai/contract=${value}`, '--overwrite', '-n', namespace);
  const annotations = (observations: readonly PodObservation[]) =>
    observations.flatMap((seen) =>
      seen.type === 'present' ? [seen.pod.metadata.annotations['omnigent.ai/contract'] ?? ''] : [],
    );

  it('that cuts every connection again and again hides no change of a Pod', async () => {
    const observations = follow('s1');
    await watching();
    await client.createPod(buildPod('s1'), { signal });
    for (let round = 0; round < 5; round += 1) {
      proxy.cut();
      await annotate(`round-${round}`);
      await expect.poll(() => annotations(observations).at(-1), { timeout: 20_000 }).toBe(`round-${round}`);
    }
    await client.deletePod('s1', { signal });
    await expect.poll(() => observations.at(-1)?.type, { timeout: 20_000 }).toBe('deleted');
    expect(observations.filter(({ type }) => type === 'deleted')).toHaveLength(1);
  });

  it('that loses the answer of a create ends in one Pod and one Secret', async () => {
    await client.readVersion({ signal });
    for (let round = 0; round < 10; round += 1) {
      const creating = Promise.all([
        client.createSecret(buildSecret(`p${round}-token`), { signal }),
        client.createPod(buildPod(`p${round}`), { signal }),
      ]);
      setTimeout(() => proxy.cut(), round);
      expect((await creating)[1].metadata.name).toBe(`p${round}`);
    }
    const names = (await kubectl('get', 'pods,secrets', '-n', namespace, '-o', 'name')).trim().split('\n');
    expect(names).toHaveLength(20);
  });

  it('that stalls without closing is noticed, and the watch is opened anew', async () => {
    const impatient = { silenceCheckMs: 1_500, silenceDeadlineMs: 3_000 };
    client = await files.open(await readProxied(), namespace, impatient);
    const observations = follow('s1');
    await watching();
    await client.createPod(buildPod('s1'), { signal });
    await expect.poll(() => annotations(observations).length, { timeout: 20_000 }).toBeGreaterThan(0);
    proxy.stall();
    await annotate('behind-the-stall');
    await expect.poll(() => annotations(observations).at(-1), { timeout: 30_000 }).toBe('behind-the-stall');
  });

  async function readProxied(): Promise<string> {
    const direct = await readKubeconfig((entry) => entry);
    return direct.replace(/https:\/\/[^"]+/, `https://127.0.0.1:${proxy.port}`);
  }

  it('with another certificate than the right one is refused', async () => {
    const direct = await readKubeconfig((entry) => entry);
    const untrusted = await files.open(
      direct.replace(/"certificate-authority-data":\s*"[^"]*",?/, ''),
      namespace,
    );
    await expect(untrusted.readVersion({ signal })).rejects.toMatchObject({
      code: 'cluster_certificate',
      fault: { kind: 'certificate' },
    });
  });
});
