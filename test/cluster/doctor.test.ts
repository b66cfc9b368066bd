/** `omnigent doctor --deep` where everything is as it should be. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_CLUSTER } from './harness/cluster.ts';
import { ensureImage } from './harness/images.ts';
import { Installation } from './harness/installation.ts';
import { createNamespace, listLeft } from './harness/namespace.ts';
import type { TestNamespace } from './harness/namespace.ts';

describe.skipIf(!HAS_CLUSTER)('omnigent doctor on the cluster', () => {
  const resources = new AsyncDisposableStack();
  let namespace: TestNamespace;
  let omnigent: Installation;

  beforeAll(async () => {
    const image = await ensureImage('host');
    namespace = resources.use(await createNamespace());
    const { name, kubeconfig } = namespace;
    omnigent = resources.use(
      await Installation.start({ namespace: name, kubeconfig, kubernetes: { image } }),
    );
  });
  afterAll(async () => await resources.disposeAsync());

  it('finds nothing wrong with exactly the rights of the overlay, and leaves nothing', async () => {
    const { status, stdout, stderr } = await omnigent.run(['doctor', '--deep']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`a sandbox reaches the server at ${omnigent.url}`);
    expect(stdout).toContain('Pod Security "restricted:');
    expect(stdout).toContain('the cluster would take the Pod of a sandbox');
    expect(await listLeft(namespace.name)).toEqual([]);
  });
});
