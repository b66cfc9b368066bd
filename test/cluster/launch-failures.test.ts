/** Launches that cannot work, seen from the command: what it says, its status, and that nothing is left. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_CLUSTER, buildUserKubeconfig, kubectl } from './harness/cluster.ts';
import { ensureImage } from './harness/images.ts';
import { Installation } from './harness/installation.ts';
import type { InstallationOptions } from './harness/installation.ts';
import { createNamespace, listLeft } from './harness/namespace.ts';
import type { TestNamespace } from './harness/namespace.ts';

/** The status of a command whose sandbox could not be launched. */
const NOT_LAUNCHED = 125;

describe.skipIf(!HAS_CLUSTER)('omnigent run on a cluster where it cannot work', () => {
  const resources = new AsyncDisposableStack();
  let namespace: TestNamespace;
  let image: string;

  beforeAll(async () => {
    image = await ensureImage('host');
    namespace = resources.use(await createNamespace());
  });
  afterAll(async () => await resources.disposeAsync());

  interface Vain extends Partial<InstallationOptions> {
    readonly section?: Readonly<Record<string, unknown>>;
  }

  /** What the command says; checks what holds for every failure. */
  async function runInVain({ section = {}, ...more }: Vain): Promise<string> {
    await using omnigent = await Installation.start({
      namespace: namespace.name,
      kubeconfig: namespace.kubeconfig,
      kubernetes: { image, ...section },
      ...more,
    });
    const { status, stdout, stderr } = await omnigent.run(['run', '--', 'true']);
    expect({ status, stdout, stderr }).toMatchObject({ status: NOT_LAUNCHED, stdout: '' });
    await expect.poll(() => listLeft(namespace.name), { timeout: 30_000 }).toEqual([]);
    return stderr;
  }

  it('names an image whose registry cannot be reached, well before its time is over', async () => {
    const began = performance.now();
    const text = await runInVain({ section: { image: 'images.invalid/team/host:1' } });
    expect(text).toContain('images.invalid/team/host:1');
    expect(text).toContain('no such host');
    expect(performance.now() - began).toBeLessThan(60_000);
  });

  it('names a Secret that does not exist', async () => {
    const text = await runInVain({ section: { secret_name: 'no-such-secret' } });
    expect(text).toContain('the Secret "no-such-secret" does not exist');
    expect(text).toContain(`-n ${namespace.name}`);
  });

  it('names a ConfigMap that does not exist, though the status of the Pod does not', async () => {
    const text = await runInVain({ section: { ca_bundle: { config_map: 'no-such-roots' } } });
    expect(text).toContain('the ConfigMap "no-such-roots" does not exist');
  });

  it('shows the log of a host that ends at once', async () => {
    const text = await runInVain({ section: { env_values: { NODE_OPTIONS: '--no-such-option' } } });
    expect(text).toContain('the host exited with status 9 before it was connected');
    expect(text).toContain('--no-such-option is not allowed in NODE_OPTIONS');
  });

  it('names a namespace that does not exist', async () => {
    const kubeconfig = await kubectl(['config', 'view', '--raw', '--flatten']);
    const text = await runInVain({ kubeconfig, namespace: 'omnigent-test-not-there' });
    expect(text).toContain('namespaces "omnigent-test-not-there" not found');
  });

  it('names verb and resource of a right that is missing', async () => {
    const text = await runInVain({ kubeconfig: buildUserKubeconfig('omnigent-test-nobody') });
    expect(text).toContain('lacks the right "create" on "secrets"');
  });

  it('says what no node offers', async () => {
    const section = { node_selector: { 'kubernetes.io/arch': 'sparc' }, stage_timeouts: { scheduling: 5 } };
    expect(await runInVain({ section })).toContain("1 node(s) didn't match Pod's node affinity/selector");
  });

  it('says what was asked, used and allowed when a quota has no room', async () => {
    await kubectl(['create', 'quota', 'none', '--hard=limits.memory=512Mi', '-n', namespace.name]);
    try {
      const text = await runInVain({ section: { stage_timeouts: { scheduling: 3 } } });
      expect(text).toContain(
        'requested limits.memory=1Gi; used limits.memory=0; limited to limits.memory=512Mi',
      );
    } finally {
      await kubectl(['delete', 'quota', 'none', '-n', namespace.name]);
    }
  });
});
