/** Both forms of making the workspace, by an init container and by the host, do the same and fail alike. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_CLUSTER, HOST_ADDRESS, kubectl } from './harness/cluster.ts';
import { startGitServer } from './harness/git-server.ts';
import type { GitServer } from './harness/git-server.ts';
import { ensureImage } from './harness/images.ts';
import { Installation } from './harness/installation.ts';
import { createNamespace, listLeft } from './harness/namespace.ts';
import type { TestNamespace } from './harness/namespace.ts';

const NOT_LAUNCHED = 125;

describe.skipIf(!HAS_CLUSTER).each(['init', 'host'])('a workspace made by %s', (form) => {
  const resources = new AsyncDisposableStack();
  let namespace: TestNamespace;
  let git: GitServer;
  let omnigent: Installation;

  beforeAll(async () => {
    const image = await ensureImage('host');
    namespace = resources.use(await createNamespace());
    git = resources.use(await startGitServer(HOST_ADDRESS));
    await kubectl(['create', 'configmap', 'git-ca', '-n', namespace.name, `--from-literal=ca.crt=${git.ca}`]);
    const kubernetes = { image, workspace_prep: form, ca_bundle: { config_map: 'git-ca' } };
    const { name, kubeconfig } = namespace;
    omnigent = resources.use(await Installation.start({ namespace: name, kubeconfig, kubernetes }));
  });
  afterAll(async () => await resources.disposeAsync());

  it('is where programs start, with the clone in it', async () => {
    const result = await omnigent.run([
      'run',
      '-q',
      '--repo',
      `${git.url}/public.git#main`,
      '--',
      'sh',
      '-c',
      'pwd; cat file',
    ]);
    expect(result).toEqual({ status: 0, stdout: '/home/omnigent/workspace/public\nhello\n', stderr: '' });
  });

  it.each([
    ['public.git#nope', 'Remote branch nope not found', 'Check the name after #.'],
    ['private.git', 'fatal: ', 'GIT_TOKEN'],
    ['absent.git', 'not found', 'Check the address'],
  ])('of %s fails with the text of git and what to do', async (repository, text, advice) => {
    const result = await omnigent.run(['run', '--repo', `${git.url}/${repository}`, '--', 'true']);
    expect(result).toMatchObject({ status: NOT_LAUNCHED, stdout: '' });
    expect(result.stderr).toContain(text);
    expect(result.stderr).toContain(advice);
    await expect.poll(() => listLeft(namespace.name), { timeout: 30_000 }).toEqual([]);
  });
});
