/** The overlay for clusters in use, applied unedited and on its own: what it makes, and what its ServiceAccount may do, by launching with it. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_CLUSTER, ROOT, buildUserKubeconfig, kubectl } from './harness/cluster.ts';
import { ensureImage } from './harness/images.ts';
import { openLaunches } from './harness/launches.ts';
import { listLeft } from './harness/namespace.ts';

const OVERLAY = join(ROOT, 'deploy/kubernetes/overlays/sandbox-runners');
const SANDBOXES = 'omnigent-sandboxes';
const SERVER = 'system:serviceaccount:omnigent:omnigent-server';

/** The rights that deploy/README.md gives reasons for, and no others. */
const MAY = ['create pods', 'get pods', 'list pods', 'watch pods', 'delete pods', 'get pods/log'].concat(
  ['create secrets', 'delete secrets', 'patch secrets'],
  ['list events'],
);
const MAY_NOT = [
  'get secrets',
  'list secrets',
  'create pods/exec',
  'create pods/attach',
  'create pods/portforward',
].concat([
  'patch pods',
  'update pods',
  'create rolebindings',
  'get configmaps',
  'delete events',
  'create serviceaccounts/token',
]);

async function may(right: string, namespace: string): Promise<string> {
  const [verb = '', resource = ''] = right.split(' ');
  const args = ['auth', 'can-i', verb, ...resource.split('/', 1), '--as', SERVER, '-n', namespace];
  const [, subresource] = resource.split('/');
  const all = subresource === undefined ? args : [...args, '--subresource', subresource];
  // A no is an exit status, too.
  return await kubectl(all).then(
    (text) => text.trim(),
    (error: unknown) => (/^no/m.test(String((error as { stdout?: string }).stdout)) ? 'no' : String(error)),
  );
}

describe.skipIf(!HAS_CLUSTER)('the overlay sandbox-runners', () => {
  const resources = new AsyncDisposableStack();

  beforeAll(async () => {
    resources.defer(
      async () => void (await kubectl(['delete', '-k', OVERLAY, '--ignore-not-found', '--wait=true'])),
    );
    await kubectl(['apply', '-k', OVERLAY]);
  });
  afterAll(async () => await resources.disposeAsync());

  it('is what the API server has after a second time, too', async () => {
    const text = await kubectl(['apply', '-k', OVERLAY]);
    const lines = text.trim().split('\n');
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.filter((line) => !line.endsWith(' unchanged'))).toEqual([]);
  });

  it('gives the server the rights that it has reasons for, where sandboxes are, and none elsewhere', async () => {
    const ask = async (rights: readonly string[], namespace: string) =>
      await Promise.all(rights.map(async (right) => `${right}: ${await may(right, namespace)}`));
    expect(await ask(MAY, SANDBOXES)).toEqual(MAY.map((right) => `${right}: yes`));
    expect(await ask(MAY_NOT, SANDBOXES)).toEqual(MAY_NOT.map((right) => `${right}: no`));
    const elsewhere = [...MAY.slice(0, 2), 'get secrets'];
    expect(await ask(elsewhere, 'omnigent')).toEqual(elsewhere.map((right) => `${right}: no`));
  });

  it('lets the server launch with nothing but its ServiceAccount, and leaves nothing', async () => {
    const image = await ensureImage('host');
    const token = (await kubectl(['create', 'token', 'omnigent-server', '-n', 'omnigent'])).trim();
    const kubeconfig = buildUserKubeconfig('omnigent-test-nobody').replace(
      /user: \{client-certificate-data: .*\}\}\]/,
      `user: {token: "${token}"}}]`,
    );
    expect(kubeconfig).not.toContain('client-key-data');
    await using launches = await openLaunches({ name: SANDBOXES, kubeconfig }, { image });
    const name = await launches.launch();
    const account = '-o=jsonpath={.spec.serviceAccountName} {.spec.automountServiceAccountToken}';
    expect(await kubectl(['get', 'pod', name, '-n', SANDBOXES, account])).toBe('omnigent-runner false');
    await launches.terminate(name);
    await expect.poll(() => listLeft(SANDBOXES), { timeout: 30_000 }).toEqual([]);
  });

  it('refuses whatever is not hardened, whoever asks', async () => {
    const run = kubectl(['run', 'soft', '--image', 'any:1', '-n', SANDBOXES]);
    await expect(run).rejects.toThrow(/violates PodSecurity "restricted/);
  });
});
