/** Runs the real `omnigent` command with a state directory of its own, and sees that nothing is left behind. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@omnigent/client';
import type { Client } from '@omnigent/client';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COMMAND = join(ROOT, 'packages/cli/bin/omnigent.js');

export interface CommandResult {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export class Installation implements AsyncDisposable {
  readonly stateDirectory: string;

  private constructor(stateDirectory: string) {
    this.stateDirectory = stateDirectory;
  }

  static async create(): Promise<Installation> {
    return new Installation(await mkdtemp(join(tmpdir(), 'omnigent-test-')));
  }

  /** Starts the command. */
  start(args: readonly string[], options: CommandOptions = {}): ChildProcess {
    return spawn(process.execPath, [COMMAND, ...args], {
      cwd: options.cwd ?? ROOT,
      env: {
        ...process.env,
        OMNIGENT_STATE_DIR: this.stateDirectory,
        OMNIGENT_SERVER: '',
        OMNIGENT_TOKEN: '',
        ...options.env,
      },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
  }

  /** Runs the command to its end. */
  async run(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
    const child = this.start(args, options);
    child.stdin?.end(options.input);
    return await collect(child);
  }

  /** The running server, as a client. */
  async connect(): Promise<Client> {
    const { url } = await this.readServer();
    return createClient({ url, token: (await readFile(join(this.stateDirectory, 'token'), 'utf8')).trim() });
  }

  async readServer(): Promise<{ readonly url: string; readonly pid: number }> {
    return JSON.parse(await readFile(join(this.stateDirectory, 'server.json'), 'utf8')) as {
      url: string;
      pid: number;
    };
  }

  /** Directories of sandboxes that are left. */
  async listDirectories(): Promise<string[]> {
    return await readdir(join(this.stateDirectory, 'sandboxes')).catch(() => []);
  }

  /** Processes of this installation other than its server: those whose command line or environment names its directory. */
  async listProcesses(): Promise<string[]> {
    const server = await this.readServer().catch(() => undefined);
    const pids = (await readdir('/proc')).filter(
      (name) => /^\d+$/.test(name) && name !== String(server?.pid) && name !== String(process.pid),
    );
    const found = await Promise.all(
      pids.map(async (pid) => {
        const command = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
        return command.includes(this.stateDirectory)
          ? [`${pid} ${command.replaceAll('\0', ' ').slice(0, 200)}`]
          : [];
      }),
    );
    return found.flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const server = await this.readServer().catch(() => undefined);
    if (server !== undefined) {
      try {
        process.kill(server.pid, 'SIGTERM');
      } catch {
        // It had ended by itself.
      }
    }
    await rm(this.stateDirectory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

/** Collects what a command says until it has ended. */
export function collect(child: ChildProcess): Promise<CommandResult> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  return new Promise((resolve) => {
    child.once('close', (status, signal) =>
      resolve({ status, signal, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }),
    );
  });
}
