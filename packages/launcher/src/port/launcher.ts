/** The port between the server and the providers. A provider is one folder beside this one. */
import type {
  Diagnosis,
  Finding,
  Plan,
  PrepareWorkspace,
  ProviderName,
  Repository,
  Stage,
} from '@omnigent/protocol';

/** What a provider can do beyond launching and terminating; data, so that callers ask instead of trying. */
export interface LauncherCapabilities {
  readonly cli_bootstrap: boolean;
  readonly local_port_forward: boolean;
  readonly suspend: boolean;
  readonly resume: boolean;
  readonly durable_home: boolean;
  /** Whether a repository may be a path of the server's machine. */
  readonly local_repositories: boolean;
  /** Whether one sandbox can see another or the machine. */
  readonly isolation: boolean;
}

/** Everything that a provider needs to start the host of one sandbox. */
export interface LaunchRequest {
  readonly sandboxId: string;
  readonly hostId: string;
  readonly hostName: string;
  /** The launch token. Goes into the token Secret or the host's environment and nowhere else. */
  readonly token: string;
  /** URL that the host dials; as a sandbox sees it. */
  readonly serverUrl: string;
  readonly repositories: readonly Repository[];
  readonly owner: string;
  readonly agent?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hostConfig?: Readonly<Record<string, unknown>>;
  /** The sandbox never outlives this. */
  readonly lifetimeSeconds: number;
}

export interface CallOptions {
  readonly signal: AbortSignal;
}

export interface StartHostOptions extends CallOptions {
  /** Called once per stage that is entered; `message` is progress worth showing ("pulling image …"). */
  readonly onStage: (stage: Stage, message?: string) => void;
  /** Resolves when the host has dialled back: then it runs, whatever the provider has heard of it by now. Never rejects. */
  readonly connected?: Promise<void>;
}

/** The answer of {@link SandboxLauncher.startHost}: the host process runs. */
export interface StartedHost {
  /** Absolute path of the workspace inside the sandbox. */
  readonly workspace: string;
  /** What the server must ask of the host (`PUT /v1/workspace`) before the sandbox is ready; null when the workspace is made. */
  readonly prepare: PrepareWorkspace | null;
  /** For people, such as "the agent name is not a valid label value and was left out". */
  readonly warnings: readonly string[];
}

/** What is known of a sandbox at the provider. `unknown` is said when the provider cannot tell now; it never guesses. */
export type Inspection =
  | { readonly state: 'running' }
  | { readonly state: 'gone'; readonly diagnosis: Diagnosis | null }
  | { readonly state: 'unknown'; readonly message: string };

/** An object of this installation as the sweep sees it. */
export interface ProviderObject {
  readonly providerId: string;
  readonly hostId: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface PlanOptions extends CallOptions {
  /** `server`: ask the cluster to admit the objects without storing them. */
  readonly dryRun: 'none' | 'server';
}

export interface PreflightOptions extends CallOptions {
  /** Also start a short-lived probe. */
  readonly deep: boolean;
  readonly serverUrl: string;
}

/** A provider of sandboxes. Every method is safe to repeat. */
export interface SandboxLauncher {
  readonly provider: ProviderName;
  readonly capabilities: LauncherCapabilities;
  /** How long a host that runs may take to connect; absent leaves it to the server. */
  readonly connectTimeoutMs?: number | undefined;
  /** Refuses what this provider cannot launch, before anything is stored. Throws SandboxError. */
  validate(request: Pick<LaunchRequest, 'repositories' | 'env' | 'agent' | 'hostConfig'>): void;
  /** Reserves the provider's id of the sandbox; may create nothing. The caller stores it before {@link startHost}. */
  provision(name: string, options: CallOptions): Promise<string>;
  /**
   * Creates the sandbox and resolves when its host process runs. On failure or abort everything that it created is
   * removed again before it rejects.
   *
   * @throws LaunchError with a diagnosis; SandboxError `canceled` when the signal aborts.
   */
  startHost(providerId: string, request: LaunchRequest, options: StartHostOptions): Promise<StartedHost>;
  /** Resolves when the host has died or its sandbox is going away; rejects only when the signal aborts. */
  watchHost(providerId: string, options: CallOptions & { readonly hostId: string }): Promise<Diagnosis>;
  /** Removes everything of the sandbox; resolves when the provider confirmed it. A sandbox that is gone is success. */
  terminate(providerId: string, options: CallOptions): Promise<void>;
  inspect(providerId: string, options: CallOptions): Promise<Inspection>;
  /** Everything that carries this installation's id, in pages. */
  list(options: CallOptions): AsyncIterable<ProviderObject>;
  preflight(options: PreflightOptions): Promise<Finding[]>;
  /** The exact objects of a launch, secrets redacted; nothing is created. */
  plan(request: LaunchRequest, options: PlanOptions): Promise<Plan>;
  suspend(providerId: string, options: CallOptions): Promise<void>;
  resume(providerId: string, request: LaunchRequest, options: StartHostOptions): Promise<StartedHost>;
  /** Ends watches and connections; running sandboxes are not touched. */
  close(): Promise<void>;
}
