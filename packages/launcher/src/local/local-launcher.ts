/** The `local` provider: a sandbox is a process tree of this machine with a home of its own. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SANDBOX_WORKSPACE, SandboxError, toCanceledError } from '@omnigent/protocol';
import type {
  Clock,
  Diagnosis,
  Finding,
  Plan,
  PrepareWorkspace,
  RandomBytes,
  Repository,
} from '@omnigent/protocol';
import { SandboxCapabilityError } from '../port/errors.ts';
import type {
  CallOptions,
  Inspection,
  LaunchRequest,
  LauncherCapabilities,
  PlanOptions,
  PreflightOptions,
  ProviderObject,
  SandboxLauncher,
  StartHostOptions,
  StartedHost,
} from '../port/launcher.ts';
import { GROUP, PASSWD, buildBubblewrapArguments } from './bubblewrap.ts';
import { cloneLocalRepository } from './clone-local.ts';
import type { LocalConfig } from './config.ts';
import { diagnoseHostEnd } from './diagnose-host.ts';
import { ISOLATED_PLACE, buildHostCommand, buildHostEnvironment } from './host-command.ts';
import type { HostPlace } from './host-command.ts';
import { resolveIsolation } from './isolation.ts';
import type { Isolation } from './isolation.ts';
import { INSIDE, toSandboxPaths, toSandboxesDirectory } from './paths.ts';
import type { SandboxPaths } from './paths.ts';
import { checkMachine } from './preflight.ts';
import { findSandboxPids, readStartTime } from './process-scan.ts';
import { readSandboxFile, writeSandboxFile } from './sandbox-file.ts';
import type { SandboxFile } from './sandbox-file.ts';
import { endProcesses, removeDirectory } from './terminate.ts';

export interface LocalLauncherOptions {
  readonly config: LocalConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly instance: string;
  readonly stateDirectory: string;
  readonly nodePath: string;
  readonly hostBundle: string;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

const CAPABILITIES: LauncherCapabilities = {
  cli_bootstrap: false,
  local_port_forward: false,
  suspend: false,
  resume: false,
  durable_home: false,
  local_repositories: true,
  isolation: true,
};
/** How often a host that is not our child is looked at; its end raises no event here. */
const WATCH_POLL_MS = 1_000;

/** Creates the launcher; nothing is started. */
export function createLocalLauncher(options: LocalLauncherOptions): SandboxLauncher {
  return new LocalLauncher(options);
}

class LocalLauncher implements SandboxLauncher {
  readonly provider = 'local';
  readonly capabilities = CAPABILITIES;
  readonly #options: LocalLauncherOptions;
  readonly #children = new Map<string, ChildProcess>();
  /** Found out once, beginning now, so that the first launch does not wait for it. */
  readonly #isolation: Promise<Isolation>;

  constructor(options: LocalLauncherOptions) {
    this.#options = options;
    this.#isolation = resolveIsolation(options);
    this.#isolation.catch(() => undefined);
  }

  validate(): void {
    // Everything that a local launch takes is checked by the request's schema and the repository grammar.
  }

  async provision(name: string): Promise<string> {
    const slug = name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 40)
      .replace(/-+$/, '');
    return `${slug === '' ? 'host' : slug}-${Buffer.from(this.#options.randomBytes(3)).toString('hex')}`;
  }

  async startHost(
    providerId: string,
    request: LaunchRequest,
    options: StartHostOptions,
  ): Promise<StartedHost> {
    const paths = this.#paths(providerId);
    try {
      return await this.#start(paths, { providerId, request, options });
    } catch (error) {
      await this.terminate(providerId, { signal: AbortSignal.timeout(30_000) });
      throw options.signal.aborted ? toCanceledError(options.signal, 'the launch') : error;
    }
  }

  async watchHost(providerId: string, { signal }: CallOptions): Promise<Diagnosis> {
    const child = this.#children.get(providerId);
    const logPath = this.#paths(providerId).log;
    if (child !== undefined) {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit', { signal });
      return await diagnoseHostEnd({ providerId, code: child.exitCode, signal: child.signalCode, logPath });
    }
    for (;;) {
      if ((await this.inspect(providerId)).state === 'gone')
        return await diagnoseHostEnd({ providerId, code: null, signal: null, logPath });
      await this.#options.clock.sleep(WATCH_POLL_MS, { signal, unref: true });
    }
  }

  async terminate(providerId: string, { signal }: CallOptions): Promise<void> {
    const { root, record } = this.#paths(providerId);
    const file =
      (await readSandboxFile(record)) ?? (await readSandboxFile(join(`${root}.leaving`, 'sandbox.json')));
    if (file !== undefined) await endProcesses(file.host_id, { clock: this.#options.clock, signal });
    this.#children.delete(providerId);
    await removeDirectory(root);
  }

  async inspect(providerId: string): Promise<Inspection> {
    const file = await readSandboxFile(this.#paths(providerId).record);
    if (file === undefined) return { state: 'gone', diagnosis: null };
    const started = file.process;
    const isRunning =
      started === null
        ? (await findSandboxPids(file.host_id)).length > 0
        : (await readStartTime(started.pid)) === started.start_time;
    return isRunning ? { state: 'running' } : { state: 'gone', diagnosis: null };
  }

  async *list(): AsyncGenerator<ProviderObject> {
    const directory = toSandboxesDirectory(this.#options.stateDirectory);
    for (const name of await readdir(directory).catch(() => [])) {
      const providerId = name.replace(/\.leaving$/, '');
      const path = join(directory, name);
      const file = await readSandboxFile(join(path, 'sandbox.json'));
      if (file !== undefined && file.instance !== this.#options.instance) continue;
      const createdAt = file?.created_at ?? (await stat(path).catch(() => undefined))?.ctimeMs;
      if (createdAt !== undefined) yield { providerId, hostId: file?.host_id ?? null, createdAt };
    }
  }

  async preflight(options: PreflightOptions): Promise<Finding[]> {
    return await checkMachine({ ...this.#options, isolation: this.#isolation, signal: options.signal });
  }

  async plan(request: LaunchRequest, _options: PlanOptions): Promise<Plan> {
    const isolation = await this.#isolation;
    const paths = this.#paths(await this.provision(request.hostName));
    const environment = buildHostEnvironment(this.#place(isolation, paths), request);
    const shown = Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, value === request.token ? '***' : value]),
    );
    const manifest = {
      kind: 'LocalSandbox',
      isolation: isolation.kind,
      directory: paths.root,
      argv: this.#argv(isolation, paths, request),
      env: shown,
    };
    return {
      manifests: [manifest],
      ...(isolation.kind === 'none' && isolation.warning !== null ? { warnings: [isolation.warning] } : {}),
    };
  }

  async suspend(): Promise<void> {
    throw new SandboxCapabilityError('local', 'suspend');
  }

  async resume(): Promise<StartedHost> {
    throw new SandboxCapabilityError('local', 'resume');
  }

  async close(): Promise<void> {
    // Sandboxes outlive the server; their processes must not keep it alive.
    for (const child of this.#children.values()) child.unref();
    this.#children.clear();
  }

  #paths(providerId: string): SandboxPaths {
    return toSandboxPaths(this.#options.stateDirectory, providerId);
  }

  #place(isolation: Isolation, paths: SandboxPaths): HostPlace {
    const { nodePath, hostBundle } = this.#options;
    if (isolation.kind === 'none')
      return { node: nodePath, bundle: hostBundle, home: paths.home, compileCache: null };
    return { ...ISOLATED_PLACE, compileCache: isolation.compileCache === null ? null : INSIDE.compileCache };
  }

  #argv(isolation: Isolation, paths: SandboxPaths, request: LaunchRequest): string[] {
    const { nodePath, hostBundle, config } = this.#options;
    const command = buildHostCommand(this.#place(isolation, paths), request.serverUrl);
    if (isolation.kind === 'none') return command;
    const { rootEntries, compileCache } = isolation;
    return [
      'bwrap',
      ...buildBubblewrapArguments({
        rootEntries,
        paths,
        nodePath,
        hostBundle,
        compileCache,
        readablePaths: config.readable_paths,
        command,
      }),
    ];
  }

  async #start(
    paths: SandboxPaths,
    launch: {
      readonly providerId: string;
      readonly request: LaunchRequest;
      readonly options: StartHostOptions;
    },
  ): Promise<StartedHost> {
    const { request, options, providerId } = launch;
    const isolation = await this.#isolation;
    const file: SandboxFile = {
      instance: this.#options.instance,
      host_id: request.hostId,
      created_at: this.#options.clock.now(),
      isolation: isolation.kind,
      process: null,
    };
    await mkdir(paths.workspace, { recursive: true, mode: 0o700 });
    // The intent, before anything runs: whatever happens next, the sweep finds it.
    await writeSandboxFile(paths.record, file);
    await Promise.all([writeFile(paths.passwd, PASSWD), writeFile(paths.group, GROUP)]);
    const prepare = await this.#cloneLocal(paths, request.repositories, options);
    options.signal.throwIfAborted();
    options.onStage('starting');
    const child = await this.#spawn(paths, { isolation, request });
    this.#children.set(providerId, child);
    const pid = child.pid ?? 0;
    await writeSandboxFile(paths.record, {
      ...file,
      process: { pid, start_time: (await readStartTime(pid)) ?? '' },
    });
    options.signal.throwIfAborted();
    return {
      workspace: this.#workspace(isolation, paths, request.repositories),
      prepare,
      warnings: isolation.kind === 'none' && isolation.warning !== null ? [isolation.warning] : [],
    };
  }

  #workspace(isolation: Isolation, paths: SandboxPaths, repositories: readonly Repository[]): string {
    const base = isolation.kind === 'bubblewrap' ? SANDBOX_WORKSPACE : paths.workspace;
    const [only] = repositories;
    return only !== undefined && repositories.length === 1 ? join(base, only.directory) : base;
  }

  /** Clones what lies on this machine; returns what the host has to do. */
  async #cloneLocal(
    paths: SandboxPaths,
    repositories: readonly Repository[],
    { onStage, signal }: StartHostOptions,
  ): Promise<PrepareWorkspace> {
    const local = repositories.filter(({ url }) => url.startsWith('/'));
    if (local.length > 0) onStage('cloning');
    await Promise.all(
      local.map((repository) =>
        cloneLocalRepository(repository, {
          target: join(paths.workspace, repository.directory),
          path: this.#options.environment['PATH'],
          signal,
        }),
      ),
    );
    const entries = repositories.map(({ url, branch, directory }) => ({
      url,
      directory,
      ...(branch === undefined ? {} : { branch }),
    }));
    return { repositories: entries, git: { submodules: false, lfs: 'skip' }, timeout_seconds: 3600 };
  }

  async #spawn(
    paths: SandboxPaths,
    { isolation, request }: { readonly isolation: Isolation; readonly request: LaunchRequest },
  ): Promise<ChildProcess> {
    const [program = '', ...args] = this.#argv(isolation, paths, request);
    await using log = await open(paths.log, 'a', 0o600);
    const child = spawn(program, args, {
      cwd: paths.home,
      env: buildHostEnvironment(this.#place(isolation, paths), request),
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    });
    try {
      await once(child, 'spawn');
    } catch (cause) {
      throw new SandboxError('isolation_unavailable', `cannot start ${program}: ${String(cause)}`, { cause });
    }
    child.unref();
    return child;
  }
}
