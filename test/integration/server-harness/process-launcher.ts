/** A launcher for tests: the real host as a plain child process with a home directory of its own. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildDiagnosis, SandboxCapabilityError } from '@omnigent/launcher';
import type {
  CallOptions,
  LauncherCapabilities,
  LaunchRequest,
  ProviderObject,
  SandboxLauncher,
  StartHostOptions,
  StartedHost,
} from '@omnigent/launcher';
import { HOST_ENVIRONMENT } from '@omnigent/protocol';
import type { Diagnosis, Plan } from '@omnigent/protocol';

export interface ProcessLauncherOptions {
  readonly directory: string;
  readonly hostBundle: string;
  /** A command that runs the host, given as its last arguments, in some other way; told the host's home. */
  readonly wrapHost?: (home: string) => readonly string[];
  /** Added to the host's environment. */
  readonly hostEnvironment?: Readonly<Record<string, string>>;
}

export class ProcessLauncher implements SandboxLauncher {
  readonly provider = 'local';
  readonly capabilities: LauncherCapabilities = {
    cli_bootstrap: false,
    local_port_forward: false,
    suspend: false,
    resume: false,
    durable_home: false,
    local_repositories: true,
    isolation: false,
  };
  readonly hosts = new Map<string, ChildProcess>();
  /** What it was asked to start, with the tokens. */
  readonly requests: LaunchRequest[] = [];
  readonly #options: ProcessLauncherOptions;

  constructor(options: ProcessLauncherOptions) {
    this.#options = options;
  }

  /** The file of what a host says on its standard error. */
  hostLog(providerId: string): string {
    return join(this.#options.directory, `${providerId}.log`);
  }

  validate(): void {}

  async provision(name: string): Promise<string> {
    return `${name}-${crypto.randomUUID().slice(0, 6)}`;
  }

  async startHost(
    providerId: string,
    request: LaunchRequest,
    { onStage, signal }: StartHostOptions,
  ): Promise<StartedHost> {
    this.requests.push(request);
    onStage('starting');
    const home = join(this.#options.directory, providerId);
    await mkdir(home, { recursive: true });
    signal.throwIfAborted();
    const { hostBundle, wrapHost = () => [], hostEnvironment } = this.#options;
    const [command, ...args] = [
      ...wrapHost(home),
      process.execPath,
      hostBundle,
      '--server',
      request.serverUrl,
    ];
    await using log = await open(this.hostLog(providerId), 'w');
    const host = spawn(command, args, {
      cwd: home,
      stdio: ['ignore', 'ignore', log.fd],
      env: {
        ...request.env,
        ...hostEnvironment,
        HOME: home,
        PATH: process.env['PATH'],
        [HOST_ENVIRONMENT.token]: request.token,
        [HOST_ENVIRONMENT.id]: request.hostId,
        [HOST_ENVIRONMENT.name]: request.hostName,
      },
    });
    this.hosts.set(providerId, host);
    return {
      workspace: join(home, 'workspace'),
      prepare: {
        repositories: request.repositories.map(({ url, branch, directory }) => ({
          url,
          directory,
          ...(branch === undefined ? {} : { branch }),
        })),
        git: { submodules: false, lfs: 'skip' },
        timeout_seconds: 60,
      },
      warnings: [],
    };
  }

  async watchHost(providerId: string, { signal }: CallOptions): Promise<Diagnosis> {
    const host = this.hosts.get(providerId);
    if (host !== undefined && host.exitCode === null && host.signalCode === null)
      await once(host, 'exit', { signal });
    return buildDiagnosis({
      code: 'host_exited',
      message: `the host of ${providerId} ended with ${host?.exitCode ?? host?.signalCode ?? 'no trace'}`,
      stage: 'connecting',
    });
  }

  async terminate(providerId: string): Promise<void> {
    const host = this.hosts.get(providerId);
    if (host !== undefined && host.exitCode === null && host.signalCode === null) {
      const ended = once(host, 'exit');
      host.kill('SIGKILL');
      await ended;
    }
    this.hosts.delete(providerId);
    await rm(join(this.#options.directory, providerId), { recursive: true, force: true });
  }

  async inspect(providerId: string) {
    const host = this.hosts.get(providerId);
    const isRunning = host !== undefined && host.exitCode === null && host.signalCode === null;
    return isRunning ? ({ state: 'running' } as const) : ({ state: 'gone', diagnosis: null } as const);
  }

  async *list(): AsyncIterable<ProviderObject> {
    for (const providerId of this.hosts.keys()) yield { providerId, hostId: null, createdAt: 0 };
  }

  async preflight() {
    return [];
  }

  async plan(): Promise<Plan> {
    return { manifests: [] };
  }

  async suspend(): Promise<never> {
    throw new SandboxCapabilityError(this.provider, 'suspend');
  }

  async resume(): Promise<never> {
    throw new SandboxCapabilityError(this.provider, 'resume');
  }

  async close(): Promise<void> {}
}
