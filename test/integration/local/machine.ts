/** A state directory with a launcher of local sandboxes, and looks at what is left of them. */
import { execFile } from 'node:child_process';
import { chown, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createLauncher } from '@omnigent/launcher';
import type { LaunchRequest, SandboxLauncher, StartedHost } from '@omnigent/launcher';
import { buildId, systemClock, systemRandomBytes } from '@omnigent/protocol';
import type { Stage } from '@omnigent/protocol';

const run = promisify(execFile);
const STAND_IN = fileURLToPath(new URL('stand-in/main.js', import.meta.url));
export const NOBODY = 65534;
const TOKEN = 'test-token-'.padEnd(43, 'x');
const LOOK_MS = 10;

export interface MachineOptions {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly stateDirectory?: string;
}

/** What a launch of a test asks for beyond the script. */
export type Changes = Partial<LaunchRequest> & { readonly signal?: AbortSignal };

export interface Launched extends StartedHost {
  readonly id: string;
  readonly hostId: string;
  readonly stages: readonly Stage[];
}

/** Builds a launch whose host runs a script. */
export function buildRequest(script: string, changes: Partial<LaunchRequest> = {}): LaunchRequest {
  return {
    sandboxId: buildId('s', systemRandomBytes),
    hostId: buildId('h', systemRandomBytes),
    hostName: 'test',
    token: TOKEN,
    serverUrl: 'http://127.0.0.1:9',
    repositories: [],
    owner: 'test',
    lifetimeSeconds: 600,
    ...changes,
    env: { STAND_IN_SCRIPT: script, ...changes.env },
  };
}

/** What all launchers of these tests share. */
export const LAUNCHER = {
  provider: 'local',
  instance: 'test',
  nodePath: process.execPath,
  hostBundle: STAND_IN,
  clock: systemClock,
  randomBytes: systemRandomBytes,
} as const;

/** Creates a launcher as the server does. */
export async function openLauncher(
  stateDirectory: string,
  options: MachineOptions = {},
): Promise<SandboxLauncher> {
  return await createLauncher({
    ...LAUNCHER,
    config: options.config,
    environment: { ...process.env, XDG_CACHE_HOME: join(stateDirectory, 'cache'), ...options.environment },
    stateDirectory,
  });
}

export class Machine implements AsyncDisposable {
  readonly stateDirectory: string;
  readonly launcher: SandboxLauncher;
  readonly signal = AbortSignal.timeout(120_000);
  readonly #hostIds = new Set<string>();

  private constructor(stateDirectory: string, launcher: SandboxLauncher) {
    this.stateDirectory = stateDirectory;
    this.launcher = launcher;
  }

  static async create(options: MachineOptions = {}): Promise<Machine> {
    const stateDirectory = options.stateDirectory ?? (await Machine.makeDirectory());
    return new Machine(stateDirectory, await openLauncher(stateDirectory, options));
  }

  /** Makes a state directory that belongs to a user. */
  static async makeDirectory(userId?: number): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'omnigent-local-'));
    if (userId !== undefined) await chown(directory, userId, userId);
    return directory;
  }

  /** Launches a sandbox whose host runs a script. */
  async launch(script: string, changes: Changes = {}): Promise<Launched> {
    const request = buildRequest(script, changes);
    const id = await this.launcher.provision(request.hostName, { signal: this.signal });
    return await this.start(id, request, changes.signal);
  }

  async start(id: string, request: LaunchRequest, signal = this.signal): Promise<Launched> {
    this.#hostIds.add(request.hostId);
    const stages: Stage[] = [];
    const started = await this.launcher.startHost(id, request, {
      signal,
      onStage: (stage) => stages.push(stage),
    });
    return { ...started, id, hostId: request.hostId, stages };
  }

  /** Launches, waits for the script's end, and returns what it has printed. */
  async runScript(script: string, changes: Changes = {}): Promise<string> {
    const { id } = await this.launch(script, changes);
    const output = await this.waitForLog(id, /script ended with \d+\n$/);
    await this.launcher.terminate(id, { signal: this.signal });
    return output.replace(/script ended with \d+\n$/, '');
  }

  /** Waits until the host's log matches. */
  async waitForLog(id: string, pattern: RegExp): Promise<string> {
    const path = join(this.stateDirectory, 'sandboxes', id, 'host.log');
    return await waitFor(async () => {
      const text = await readFile(path, 'utf8').catch(() => '');
      return pattern.test(text) ? text : undefined;
    }, this.signal);
  }

  /** Directories and processes that are left of all sandboxes of this machine. */
  async findRest(): Promise<string[]> {
    const directories = await readdir(join(this.stateDirectory, 'sandboxes')).catch(() => []);
    return [...directories, ...(await findMarkedProcesses(this.#hostIds))];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for await (const { providerId } of this.launcher.list({ signal: this.signal }))
      await this.launcher.terminate(providerId, { signal: this.signal });
    await this.launcher.close();
    await rm(this.stateDirectory, { recursive: true, force: true });
  }
}

/** Processes of the machine that carry one of these host ids. */
export async function findMarkedProcesses(hostIds: ReadonlySet<string>): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      const isOurs = [...hostIds].some((id) => environment.includes(`OMNIGENT_HOST_ID=${id}\0`));
      return isOurs ? [`${pid} ${await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')}`] : [];
    }),
  );
  return found.flat();
}

/** Asks until there is an answer. */
export async function waitFor<Value>(
  ask: () => Promise<Value | undefined>,
  signal: AbortSignal,
): Promise<Value> {
  for (;;) {
    const value = await ask();
    if (value !== undefined) return value;
    await systemClock.sleep(LOOK_MS, { signal });
  }
}

/** Standard output of a program. */
export async function commandOutput(program: string, ...args: readonly string[]): Promise<string> {
  return (await run(program, [...args])).stdout.trim();
}
