/** The settings of git, and the proxy, in both forms of making the workspace, against a real sshd and a real proxy. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_CLUSTER, HOST_ADDRESS, kubectl } from './harness/cluster.ts';
import { startConnectProxy } from './harness/connect-proxy.ts';
import type { ConnectProxy } from './harness/connect-proxy.ts';
import { startGitServer } from './harness/git-server.ts';
import type { GitServer } from './harness/git-server.ts';
import { ensureImage } from './harness/images.ts';
import { Installation } from './harness/installation.ts';
import type { CommandResult } from './harness/installation.ts';
import { createNamespace } from './harness/namespace.ts';
import type { TestNamespace } from './harness/namespace.ts';
import { startSshGitServer } from './harness/ssh-git-server.ts';
import type { SshGitServer } from './harness/ssh-git-server.ts';

describe.skipIf(!HAS_CLUSTER).each(['init', 'host'])('a workspace made by %s', (form) => {
  const resources = new AsyncDisposableStack();
  let namespace: TestNamespace;
  let image: string;
  let ssh: SshGitServer;
  let https: GitServer;
  let proxy: ConnectProxy;

  beforeAll(async () => {
    image = await ensureImage('host');
    namespace = resources.use(await createNamespace());
    ssh = resources.use(await startSshGitServer(HOST_ADDRESS));
    https = resources.use(await startGitServer(HOST_ADDRESS));
    proxy = resources.use(await startConnectProxy(HOST_ADDRESS));
    const create = async (...args: string[]) => await kubectl(['create', ...args, '-n', namespace.name]);
    await create('configmap', 'git-ca', `--from-literal=ca.crt=${https.ca}`);
    await create('secret', 'generic', 'deploy-key', `--from-literal=ssh-privatekey=${ssh.privateKey}`);
    const known = [
      `--from-literal=ssh-privatekey=${ssh.privateKey}`,
      `--from-literal=known_hosts=${ssh.knownHosts}`,
    ];
    await create('secret', 'generic', 'deploy-key-and-hosts', ...known);
  });
  afterAll(async () => await resources.disposeAsync());

  async function run(section: object, ...args: string[]): Promise<CommandResult> {
    const { name, kubeconfig } = namespace;
    const kubernetes = { image, workspace_prep: form, ...section };
    await using omnigent = await Installation.start({ namespace: name, kubeconfig, kubernetes });
    return await omnigent.run(['run', '-q', ...args]);
  }

  it.concurrent('clones over ssh, shallow, with filter and submodules, for a host that is known', async () => {
    const git = {
      ssh_secret: 'deploy-key',
      known_hosts: ssh.knownHosts,
      depth: 1,
      filter: 'blob:none',
      submodules: true,
    };
    const script =
      'git rev-list --count HEAD; cat file sub/file; git config remote.origin.partialclonefilter; git fetch -q && echo fetched';
    const result = await run({ git }, '--repo', `${ssh.url}/app.git`, '--', 'sh', '-c', script);
    expect(result).toEqual({
      status: 0,
      stdout: '1\nthree\nof the submodule\nblob:none\nfetched\n',
      stderr: '',
    });
  });

  it.concurrent('clones all of it, with known hosts out of the Secret, when nothing else is said', async () => {
    const git = { ssh_secret: 'deploy-key-and-hosts' };
    const script =
      'git rev-list --count HEAD; ls sub; git config remote.origin.partialclonefilter || echo whole';
    const result = await run({ git }, '--repo', `${ssh.url}/app.git`, '--', 'sh', '-c', script);
    expect(result).toEqual({ status: 0, stdout: '3\nwhole\n', stderr: '' });
  });

  it.concurrent('refuses a host that is not known', async () => {
    const other = ssh.knownHosts.replace(
      /ssh-ed25519 .*/,
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5Lx1v0AbVqSQKyz2bWAUTbXOmjCzHjmjdD4hTnkU5P',
    );
    const git = { ssh_secret: 'deploy-key', known_hosts: other };
    const { status, stderr } = await run({ git }, '--repo', `${ssh.url}/app.git`, '--', 'true');
    expect(status).toBe(125);
    expect(stderr).toContain('Host key verification failed');
  });

  it.concurrent('leaves large files as pointers, and says what lacks when it is to fetch them', async () => {
    const git = { ssh_secret: 'deploy-key', known_hosts: ssh.knownHosts };
    const skipped = await run({ git }, '--repo', `${ssh.url}/lfs.git`, '--', 'head', '-n', '1', 'large.bin');
    expect(skipped).toEqual({
      status: 0,
      stdout: 'version https://git-lfs.github.com/spec/v1\n',
      stderr: '',
    });
    const fetched = await run(
      { git: { ...git, lfs: 'fetch' } },
      '--repo',
      `${ssh.url}/lfs.git`,
      '--',
      'true',
    );
    expect(fetched.status).toBe(125);
    expect(fetched.stderr).toContain("'lfs' is not a git command");
    expect(fetched.stderr).toContain('Use an image that carries git-lfs, or set git.lfs to skip.');
  });

  it.concurrent('goes through a proxy for the clone and for the tunnel', async () => {
    const section = { ca_bundle: { config_map: 'git-ca' }, proxy: { http: proxy.url, https: proxy.url } };
    const { name, kubeconfig } = namespace;
    const kubernetes = { image, workspace_prep: form, ...section };
    await using omnigent = await Installation.start({ namespace: name, kubeconfig, kubernetes });
    const args = [
      'run',
      '-q',
      '--repo',
      `${https.url}/public.git`,
      '--',
      'sh',
      '-c',
      'cat file; echo $https_proxy',
    ];
    expect(await omnigent.run(args)).toEqual({ status: 0, stdout: `hello\n${proxy.url}\n`, stderr: '' });
    const led = new Set(proxy.destinations);
    expect(led).toContain(new URL(https.url).host);
    expect(led).toContain(new URL(omnigent.url).host);
  });
});
