/** The `local` provider: a sandbox is a process tree of this machine with a home of its own. Only sequences. */
import type { ChildProcess } from 'node:child_process';
import { SandboxError, isSandboxError, toCanceledError, toErrorMessage } from '@omnigent/protocol';
import type { Clock, Diagnosis, Finding, Plan, RandomBytes, Stage } from '@omnigent/protocol';
import { buildDiagnosis } from '../port/diagnosis.ts';
import { LaunchError, SandboxCapabilityError } from '../port/errors.ts';
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
import { buildPlan } from './build-plan.ts';
import type { LocalConfig } from './config.ts';
import { inspectSandbox } from './inspect-sandbox.ts';
import { IsolationProbe, resolveIsolation } from './isolation/isolation.ts';
import { listSandboxes } from './list-sandboxes.ts';
import { checkMachine } from './preflight/check-machine.ts';
import { toSandboxPaths } from './records/paths.ts';
import type { SandboxPaths } from './records/paths.ts';
import { buildProviderId } from './records/provider-id.ts';
import { removeSandbox } from './remove/remove-sandbox.ts';
import type { StartContext } from './start/start-context.ts';
import { startSandbox } from './start/start-sandbox.ts';
import { buildPreparation, resolveWorkspace } from './start/workspace.ts';
import { diagnoseHostEnd } from './watch/diagnose-host.ts';
import { readLogTail } from './watch/log-tail.ts';
import { endOrphansWith } from './watch/end-orphans.ts';
import { waitForChild, waitForOther } from './watch/watch-host.ts';

/** What {@link createLocalLauncher} takes. */
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

/** For what a failed launch left; its own deadline, since the launch's signal may be the reason of the failure. */
const CLEANUP_TIMEOUT_MS = 30_000;

/**
 * Creates the launcher; no sandbox is started, but the machine is looked at already.
 *
 * @example
 * const launcher = createLocalLauncher({ config: parseLocalConfig({}, process.env), environment: process.env, instance: 'demo',
 *   stateDirectory: '/var/lib/demo', nodePath: process.execPath, hostBundle: '/usr/lib/omnigent/dist/host/main.js',
 *   clock: systemClock, randomBytes: systemRandomBytes });
 */
export function createLocalLauncher(options: LocalLauncherOptions): SandboxLauncher {
  return new LocalLauncher(options);
}

class LocalLauncher implements SandboxLauncher {
  readonly provider = 'local';
  readonly capabilities: LauncherCapabilities;
  readonly #options: LocalLauncherOptions;
  readonly #isolation: IsolationProbe;
  readonly #isRoot = process.getuid?.() === 0;
  readonly #children = new Map<string, ChildProcess>();
  readonly #closing = new AbortController();

  constructor(options: LocalLauncherOptions) {
    this.#options = options;
    this.#isolation = new IsolationProbe({
      ...options,
      isRoot: this.#isRoot,
      signal: this.#closing.signal,
    });
    this.capabilities = {
      cli_bootstrap: false,
      local_port_forward: false,
      suspend: false,
      resume: false,
      durable_home: false,
      local_repositories: options.config.localRepositories,
      isolation: options.config.isolation !== 'none',
    };
  }

  validate({ repositories }: Pick<LaunchRequest, 'repositories'>): void {
    const local = repositories.find(({ url }) => url.startsWith('/'));
    if (local !== undefined && !this.capabilities.local_repositories)
      throw new SandboxError(
        'invalid_repository',
        `repository ${JSON.stringify(local.url)}: expected an address, found a path of this machine; sandbox.local.local_repositories is false`,
      );
  }

  async provision(name: string): Promise<string> {
    return buildProviderId(name, this.#options.randomBytes);
  }

  async startHost(
    providerId: string,
    request: LaunchRequest,
    options: StartHostOptions,
  ): Promise<StartedHost> {
    const paths = this.#paths(providerId);
    let stage: Stage = 'provisioning';
    const onStage: StartHostOptions['onStage'] = (entered, message) => {
      stage = entered;
      options.onStage(entered, message);
    };
    try {
      return await this.#start(paths, { providerId, request, options: { ...options, onStage } });
    } catch (error) {
      const notes = await this.#cleanUp(paths, request.hostId);
      if (options.signal.aborted) throw toCanceledError(options.signal, 'the launch');
      throw toLaunchError(error, { stage, providerId, notes });
    }
  }

  async watchHost(providerId: string, { signal }: CallOptions): Promise<Diagnosis> {
    const both = AbortSignal.any([signal, this.#closing.signal]);
    const child = this.#children.get(providerId);
    const paths = this.#paths(providerId);
    const isRunning = async () => (await inspectSandbox(providerId, paths)).state !== 'gone';
    const end = await (child === undefined
      ? waitForOther(isRunning, { clock: this.#options.clock, signal: both })
      : waitForChild(child, both)
    ).catch((error: unknown) => {
      throw both.aborted ? toCanceledError(both, 'watching the host') : error;
    });
    const log = await readLogTail(paths.log);
    return diagnoseHostEnd({ providerId, code: end.exitCode, signal: end.signalCode, log });
  }

  async terminate(providerId: string, { signal }: CallOptions): Promise<void> {
    await removeSandbox(this.#paths(providerId), { clock: this.#options.clock, signal });
    this.#children.delete(providerId);
  }

  async inspect(providerId: string): Promise<Inspection> {
    return await inspectSandbox(providerId, this.#paths(providerId));
  }

  list({ signal }: CallOptions): AsyncIterable<ProviderObject> {
    return listSandboxes({ ...this.#options, signal });
  }

  async preflight({ deep, signal }: PreflightOptions): Promise<Finding[]> {
    const options = { ...this.#options, isRoot: this.#isRoot, signal };
    const isolation = () => (deep ? resolveIsolation(options) : this.#isolation.get());
    return await checkMachine({ ...options, isolation });
  }

  async plan(request: LaunchRequest, _options: PlanOptions): Promise<Plan> {
    const paths = this.#paths(await this.provision(request.hostName));
    return buildPlan(await this.#context(), { paths, request });
  }

  async suspend(): Promise<void> {
    throw new SandboxCapabilityError('local', 'suspend');
  }

  async resume(): Promise<StartedHost> {
    throw new SandboxCapabilityError('local', 'resume');
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#children.clear();
    await this.#isolation.whenIdle();
  }

  #paths(providerId: string): SandboxPaths {
    return toSandboxPaths(this.#options.stateDirectory, providerId);
  }

  async #context(): Promise<StartContext> {
    const { environment, ...rest } = this.#options;
    return { ...rest, isolation: await this.#isolation.get(), machinePath: environment['PATH'] };
  }

  async #start(
    paths: SandboxPaths,
    launch: { providerId: string; request: LaunchRequest; options: StartHostOptions },
  ): Promise<StartedHost> {
    const { providerId, request, options } = launch;
    const context = await this.#context();
    options.signal.throwIfAborted();
    const child = await startSandbox(context, { ...options, paths, request });
    this.#children.set(providerId, child);
    endOrphansWith(child, paths, { clock: this.#options.clock, signal: this.#closing.signal });
    const { isolation } = context;
    const outside = { isIsolated: isolation.kind === 'bubblewrap', workspace: paths.workspace };
    return {
      workspace: resolveWorkspace(request.repositories, outside),
      prepare: buildPreparation(request.repositories),
      warnings: isolation.kind === 'none' && isolation.warning !== null ? [isolation.warning] : [],
    };
  }

  /** Removes what a failed start made; what stays is told and left to the sweep. */
  async #cleanUp(paths: SandboxPaths, hostId: string): Promise<string[]> {
    const signal = AbortSignal.timeout(CLEANUP_TIMEOUT_MS);
    return await removeSandbox(paths, { clock: this.#options.clock, signal, hostId }).then(
      () => [],
      (error: unknown) => [`the cleanup failed and is left to the sweep: ${toErrorMessage(error)}`],
    );
  }
}

function toLaunchError(
  error: unknown,
  facts: { readonly stage: Stage; readonly providerId: string; readonly notes: string[] },
): LaunchError {
  const known = isSandboxError(error) ? error : new SandboxError('launch_failed', toErrorMessage(error));
  const output = known.details['output'];
  return new LaunchError(
    buildDiagnosis({
      code: known.code,
      message: known.message,
      stage: facts.stage,
      provider_id: facts.providerId,
      notes: facts.notes,
      log: typeof output === 'string' && output !== '' ? { container: 'git', text: output } : null,
    }),
    { cause: error },
  );
}
