/** A git server over ssh: Debian's sshd with a key of the test, and repositories that use what the settings of git are about. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { git as runGit } from './git-server.ts';

export interface SshGitServer extends AsyncDisposable {
  /** Below it are `app.git` (three commits, a submodule by a relative URL) and `lfs.git`. */
  readonly url: string;
  readonly privateKey: string;
  /** The line of this server for a known_hosts file. */
  readonly knownHosts: string;
}

/** Submodules may come from a path of this machine. */
function git(args: readonly string[], cwd: string): void {
  runGit(['-c', 'protocol.file.allow=always', ...args], cwd);
}

function commit(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  git(['add', '.'], directory);
  git(['commit', '-q', '-m', 'change'], directory);
}

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 7\n`;

function createRepositories(root: string): void {
  const create = (name: string): string => {
    git(['init', '-q', name], root);
    return join(root, name);
  };
  const publish = (name: string): void => {
    git(['clone', '-q', '--bare', name, `${name}.git`], root);
    // What a partial clone asks for later.
    for (const key of ['allowFilter', 'allowAnySHA1InWant'])
      git(['config', `uploadpack.${key}`, 'true'], join(root, `${name}.git`));
  };
  commit(create('sub'), { file: 'of the submodule\n' });
  publish('sub');
  const app = create('app');
  for (const file of ['one\n', 'two\n']) commit(app, { file });
  git(['submodule', '-q', 'add', join(root, 'sub.git'), 'sub'], app);
  git(['config', '-f', '.gitmodules', 'submodule.sub.url', '../sub.git'], app);
  commit(app, { file: 'three\n' });
  publish('app');
  commit(create('lfs'), { '.gitattributes': '*.bin filter=lfs -text\n', 'large.bin': POINTER });
  publish('lfs');
}

async function findFreePort(address: string): Promise<number> {
  const server = createServer().listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function createKey(directory: string, name: string): { readonly file: string; readonly publicKey: string } {
  const file = join(directory, name);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file]);
  return { file, publicKey: readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ') };
}

async function waitUntilListening(address: string, port: number): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const socket = connect({ host: address, port });
    try {
      // The greeting: only then it takes part in an exchange.
      await once(socket, 'data', { signal: AbortSignal.timeout(2_000) });
      return;
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => void setTimeout(resolve, 50));
    } finally {
      socket.destroy();
    }
  }
}

/** Starts the server at an address that Pods reach. */
export async function startSshGitServer(address: string): Promise<SshGitServer> {
  const directory = await mkdtemp(join(tmpdir(), 'omnigent-ssh-'));
  createRepositories(directory);
  const [host, user] = [createKey(directory, 'host'), createKey(directory, 'user')];
  writeFileSync(join(directory, 'authorized'), `${user.publicKey}\n`, { mode: 0o600 });
  const port = await findFreePort(address);
  // Where the server keeps its unprivileged child.
  mkdirSync('/run/sshd', { recursive: true });
  const options = {
    Port: port,
    ListenAddress: address,
    HostKey: host.file,
    AuthorizedKeysFile: join(directory, 'authorized'),
    PidFile: 'none',
    PasswordAuthentication: 'no',
    StrictModes: 'no',
    UsePAM: 'no',
  };
  const file = join(directory, 'sshd_config');
  writeFileSync(
    file,
    Object.entries(options)
      .map((entry) => entry.join(' '))
      .join('\n'),
  );
  const child = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', file], { stdio: 'ignore' });
  await waitUntilListening(address, port);
  return {
    url: `ssh://${userInfo().username}@${address}:${port}${directory}`,
    privateKey: readFileSync(user.file, 'utf8'),
    knownHosts: `[${address}]:${port} ${host.publicKey}`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      await rm(directory, { recursive: true });
    },
  };
}
