/** Launches by the library itself on the real cluster, with exactly the rights of the overlay. No server: a host that runs is a success. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LaunchError, createLauncher } from '@omnigent/launcher';
import type { LaunchRequest, SandboxLauncher } from '@omnigent/launcher';
import { parseRepository, systemClock, systemRandomBytes } from '@omnigent/protocol';
import type { Diagnosis, Stage } from '@omnigent/protocol';
import { HOST_ADDRESS } from './cluster.ts';
import { SMALL } from './installation.ts';
import type { TestNamespace } from './namespace.ts';

/** Nobody listens there: hosts run and go on dialling. */
export const NOWHERE = `http://${HOST_ADDRESS}:9/`;
const DEADLINE_MS = 170_000;

export interface LaunchFacts {
  /** More of `sandbox.kubernetes`. */
  readonly section?: Readonly<Record<string, unknown>>;
  readonly repository?: string;
  readonly hostConfig?: Readonly<Record<string, unknown>>;
  readonly onStage?: (stage: Stage, message?: string) => void;
  /** Called with the name of the Pod, which does not exist yet. */
  readonly onName?: (name: string) => void;
}

export interface ClusterLaunches extends AsyncDisposable {
  /** Resolves with the name of the Pod whose host runs. @throws LaunchError */
  launch(facts?: LaunchFacts): Promise<string>;
  /** The diagnosis of a launch that cannot work. */
  fail(facts?: LaunchFacts): Promise<Diagnosis>;
  /** How a launch ends that cannot work for long, whether its host ran for a moment or not. */
  end(facts?: LaunchFacts): Promise<Diagnosis>;
  /** The diagnosis of a host that ran. */
  watch(name: string): Promise<Diagnosis>;
  terminate(name: string): Promise<void>;
}

function buildRequest(index: number, facts: LaunchFacts): LaunchRequest {
  const { repository, hostConfig } = facts;
  return {
    sandboxId: `s${index}`,
    hostId: toHostId(index),
    hostName: `test-${index}`,
    token: Buffer.from(systemRandomBytes(32)).toString('base64url'),
    serverUrl: NOWHERE,
    repositories: repository === undefined ? [] : [parseRepository(repository)],
    owner: 'somebody',
    env: {},
    lifetimeSeconds: 600,
    ...(hostConfig === undefined ? {} : { hostConfig }),
  };
}

const toHostId = (index: number): string => `h${String(index).padStart(12, '0')}`;

class Launches implements ClusterLaunches {
  readonly #open: (section: LaunchFacts['section']) => Promise<SandboxLauncher>;
  readonly #launchers = new Map<string, SandboxLauncher>();
  readonly #byName = new Map<string, { readonly launcher: SandboxLauncher; readonly hostId: string }>();
  readonly #resources: AsyncDisposableStack;
  readonly #signal = AbortSignal.timeout(DEADLINE_MS);
  #count = 0;

  constructor(
    open: (section: LaunchFacts['section']) => Promise<SandboxLauncher>,
    resources: AsyncDisposableStack,
  ) {
    this.#open = open;
    this.#resources = resources;
  }

  async #launcher(section: LaunchFacts['section']): Promise<SandboxLauncher> {
    const key = JSON.stringify(section ?? {});
    const launcher = this.#launchers.get(key) ?? (await this.#open(section));
    this.#launchers.set(key, launcher);
    return launcher;
  }

  async launch(facts: LaunchFacts = {}): Promise<string> {
    const launcher = await this.#launcher(facts.section);
    this.#count += 1;
    const request = buildRequest(this.#count, facts);
    const signal = this.#signal;
    const name = await launcher.provision('failures', { signal });
    facts.onName?.(name);
    this.#byName.set(name, { launcher, hostId: request.hostId });
    const onStage = facts.onStage ?? (() => undefined);
    await launcher.startHost(name, request, { signal, onStage });
    return name;
  }

  async fail(facts: LaunchFacts = {}): Promise<Diagnosis> {
    try {
      await this.launch(facts);
    } catch (error) {
      if (error instanceof LaunchError) return error.diagnosis;
      throw error;
    }
    throw new Error('expected the launch to fail; the host runs');
  }

  async end(facts: LaunchFacts = {}): Promise<Diagnosis> {
    try {
      const name = await this.launch(facts);
      const diagnosis = await this.watch(name);
      await this.terminate(name);
      return diagnosis;
    } catch (error) {
      if (error instanceof LaunchError) return error.diagnosis;
      throw error;
    }
  }

  #find(name: string) {
    const found = this.#byName.get(name);
    if (found === undefined) throw new Error(`expected a launch named ${name}`);
    return found;
  }

  async watch(name: string): Promise<Diagnosis> {
    const { launcher, hostId } = this.#find(name);
    return await launcher.watchHost(name, { hostId, signal: this.#signal });
  }

  async terminate(name: string): Promise<void> {
    await this.#find(name).launcher.terminate(name, { signal: this.#signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#launchers.values()].map((launcher) => launcher.close()));
    await this.#resources.disposeAsync();
  }
}

/** Launches of one test file into its namespace; `section` holds for all of them. */
export async function openLaunches(
  namespace: Pick<TestNamespace, 'name' | 'kubeconfig'>,
  section: Readonly<Record<string, unknown>>,
): Promise<ClusterLaunches> {
  const resources = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'omnigent-launches-'));
  resources.defer(() => rm(directory, { recursive: true }));
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, namespace.kubeconfig, { mode: 0o600 });
  const base = { kubeconfig, in_cluster: false, namespace: namespace.name, resources: SMALL, ...section };
  const open = async (more: LaunchFacts['section']) =>
    await createLauncher({
      provider: 'kubernetes',
      config: { ...base, ...more },
      environment: {},
      instance: 'failures',
      stateDirectory: directory,
      nodePath: '',
      hostBundle: '',
      clock: systemClock,
      randomBytes: systemRandomBytes,
    });
  return new Launches(open, resources);
}
