/** A server process of this machine that launches into the cluster, and the command that talks to it. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from '@omnigent/client';
import type { Client } from '@omnigent/client';
import { stringify } from 'yaml';
import { HOST_ADDRESS, ROOT } from './cluster.ts';

const COMMAND = join(ROOT, 'packages/cli/bin/omnigent.js');
export const API_TOKEN = 'an-api-token-of-the-cluster-tests';

export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface InstallationOptions {
  readonly namespace: string;
  readonly kubeconfig: string;
  /** More of `sandbox.kubernetes`. */
  readonly kubernetes: Readonly<Record<string, unknown>>;
}

/** Small, so that many sandboxes fit on the node. */
export const SMALL = { requests: { cpu: '20m', memory: '64Mi' }, limits: { cpu: '2', memory: '1Gi' } };

export class Installation implements AsyncDisposable {
  readonly directory: string;
  readonly url: string;
  readonly #server: ChildProcess;

  private constructor(facts: { directory: string; url: string; server: ChildProcess }) {
    this.directory = facts.directory;
    this.url = facts.url;
    this.#server = facts.server;
  }

  static async start(options: InstallationOptions): Promise<Installation> {
    const directory = await mkdtemp(join(tmpdir(), 'omnigent-cluster-'));
    const port = 20_000 + Math.trunc(Math.random() * 20_000);
    const kubernetes = {
      in_cluster: false,
      kubeconfig: join(directory, 'kubeconfig'),
      namespace: options.namespace,
      resources: SMALL,
      ...options.kubernetes,
    };
    await writeFile(join(directory, 'kubeconfig'), options.kubeconfig, { mode: 0o600 });
    await writeFile(join(directory, 'token'), API_TOKEN, { mode: 0o600 });
    await writeFile(
      join(directory, 'config.yaml'),
      stringify({
        server: { url: `http://${HOST_ADDRESS}:${port}`, token_file: join(directory, 'token') },
        sandbox: { provider: 'kubernetes', kubernetes },
      }),
    );
    const args = [
      'server',
      '--config',
      join(directory, 'config.yaml'),
      '--listen',
      `${HOST_ADDRESS}:${port}`,
      '--state-dir',
      directory,
    ];
    const server = spawn(process.execPath, [COMMAND, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, KUBECONFIG: '' },
    });
    let log = '';
    server.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const ended = once(server, 'exit').then(() =>
      Promise.reject(new Error(`the server did not start: ${log}`)),
    );
    ended.catch(() => undefined);
    await Promise.race([once(createInterface({ input: server.stdout }), 'line'), ended]);
    return new Installation({ directory, url: `http://${HOST_ADDRESS}:${port}`, server });
  }

  get client(): Client {
    return createClient({ url: this.url, token: API_TOKEN });
  }

  /** Runs `omnigent` against this server. */
  async run(args: readonly string[]): Promise<CommandResult> {
    return await runCommand(args, { url: this.url, directory: this.directory });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#server, 'exit');
    this.#server.kill('SIGTERM');
    await ended;
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Runs the command against any server of the tests. */
export async function runCommand(
  args: readonly string[],
  { url, directory }: { readonly url: string; readonly directory: string },
): Promise<CommandResult> {
  const env = {
    ...process.env,
    OMNIGENT_SERVER: url,
    OMNIGENT_TOKEN: API_TOKEN,
    OMNIGENT_STATE_DIR: directory,
  };
  const child = spawn(process.execPath, [COMMAND, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, stdout, stderr };
}
