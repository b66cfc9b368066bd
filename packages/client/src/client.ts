/** The entry of the SDK. */
import {
  SERVER_ROUTES,
  planSchema,
  preflightSchema,
  sandboxListSchema,
  sandboxSchema,
  sweepReportSchema,
  systemClock,
  versionSchema,
} from '@omnigent/protocol';
import type {
  Clock,
  CreateSandboxInput,
  Finding,
  Plan,
  ProviderName,
  SandboxEvent,
  SandboxList,
  ServerVersion,
  SweepReport,
} from '@omnigent/protocol';
import { Http, platformFetch } from './http.ts';
import type { Fetch } from './http.ts';
import { Reattacher } from './reattach.ts';
import { SandboxHandle } from './sandbox-handle.ts';
import { platformWebSocket } from './web-socket.ts';
import type { WebSocketFactory } from './web-socket.ts';

export interface ClientOptions {
  /** URL of the server. */
  readonly url: string;
  /** Bearer token of the API. */
  readonly token: string;
  readonly fetch?: Fetch;
  /** Opens the WebSockets of attached programs. Default: the platform's own. */
  readonly webSocket?: WebSocketFactory;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** How long a follower goes on trying when nothing succeeds. Default: 10 minutes. */
  readonly reattachBudgetMs?: number;
}

export interface LaunchOptions {
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: SandboxEvent) => void;
}

export interface ListOptions {
  readonly cursor?: string;
  readonly limit?: number;
  readonly name?: string;
  readonly provider?: ProviderName;
  readonly signal?: AbortSignal;
}

/** A server that is being replaced is back soon; one that is not there should be told at once. */
const CREATE_BUDGET_MS = 3_000;
const DEFAULT_REATTACH_MS = 10 * 60 * 1000;

const FAILED_LAUNCH_WAIT_SECONDS = 10;

export class Client {
  readonly #http: Http;
  readonly #context: ConstructorParameters<typeof SandboxHandle>[0];

  constructor(options: ClientOptions) {
    this.#http = new Http({
      url: options.url,
      token: options.token,
      fetch: options.fetch ?? platformFetch,
    });
    this.#context = {
      http: this.#http,
      webSocket: options.webSocket ?? platformWebSocket,
      clock: options.clock ?? systemClock,
      random: options.random ?? Math.random,
      reattachBudgetMs: options.reattachBudgetMs ?? DEFAULT_REATTACH_MS,
    };
  }

  /** Asks for a sandbox; resolves as soon as the server has stored it. A lost answer is asked for again and makes no second one. */
  async create(request: CreateSandboxInput, signal?: AbortSignal): Promise<SandboxHandle> {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const { clock, random } = this.#context;
    const reattacher = new Reattacher({ clock, random, budgetMs: CREATE_BUDGET_MS, signal });
    for (;;) {
      try {
        const call = {
          method: 'POST',
          path: SERVER_ROUTES.sandboxes,
          json: request,
          headers,
          signal,
        } as const;
        return new SandboxHandle(this.#context, await this.#http.json(call, sandboxSchema));
      } catch (error) {
        await reattacher.waitAfter(error);
      }
    }
  }

  /**
   * Launches a sandbox and resolves when it is ready. When the launch fails or is aborted, the sandbox is removed.
   *
   * @throws SandboxError `launch_failed` with the diagnosis in `details.diagnosis`; `canceled`.
   * @example
   * await using sandbox = await client.launch({ repositories: ['https://git.example.com/team/app.git#main'] });
   * const { stdout } = await sandbox.exec(['npm', 'test']);
   */
  async launch(request: CreateSandboxInput, options: LaunchOptions = {}): Promise<SandboxHandle> {
    // The request itself is not aborted: its answer names what is to be removed.
    const sandbox = await this.create(request);
    try {
      await sandbox.whenReady(options);
      return sandbox;
    } catch (error) {
      // The server goes on with what takes longer; the failure must not wait for it.
      await sandbox.terminate({ waitSeconds: FAILED_LAUNCH_WAIT_SECONDS }).catch(() => undefined);
      throw error;
    }
  }

  /** A sandbox by its id or live name. @throws SandboxError `sandbox_not_found`. */
  async get(idOrName: string, signal?: AbortSignal): Promise<SandboxHandle> {
    return new SandboxHandle(
      this.#context,
      await this.#http.json({ method: 'GET', path: SERVER_ROUTES.sandbox(idOrName), signal }, sandboxSchema),
    );
  }

  async list(options: ListOptions = {}): Promise<SandboxList> {
    const { signal, ...query } = options;
    return await this.#http.json(
      { method: 'GET', path: SERVER_ROUTES.sandboxes, query, signal },
      sandboxListSchema,
    );
  }

  /** What a launch would create; nothing is created. */
  async plan(
    request: CreateSandboxInput,
    options: { readonly dryRun?: 'none' | 'server'; readonly signal?: AbortSignal } = {},
  ): Promise<Plan> {
    const query = { dry_run: options.dryRun ?? 'none' };
    return await this.#http.json(
      { method: 'POST', path: SERVER_ROUTES.plan, query, json: request, signal: options.signal },
      planSchema,
    );
  }

  async preflight(
    options: {
      readonly provider?: ProviderName;
      readonly deep?: boolean;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<Finding[]> {
    const query = { provider: options.provider, deep: options.deep === true ? 1 : 0 };
    const call = { method: 'POST', path: SERVER_ROUTES.preflight, query, signal: options.signal } as const;
    return (await this.#http.json(call, preflightSchema)).findings;
  }

  async sweep(
    options: { readonly dryRun?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<SweepReport> {
    const query = { dry_run: options.dryRun === true ? 1 : 0 };
    return await this.#http.json(
      { method: 'POST', path: SERVER_ROUTES.sweep, query, signal: options.signal },
      sweepReportSchema,
    );
  }

  async version(signal?: AbortSignal): Promise<ServerVersion> {
    return await this.#http.json({ method: 'GET', path: SERVER_ROUTES.version, signal }, versionSchema);
  }
}

/** Creates a client. */
export function createClient(options: ClientOptions): Client {
  return new Client(options);
}
