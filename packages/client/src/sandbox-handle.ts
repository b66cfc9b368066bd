/** A sandbox in the hands of a caller; `await using` terminates it. */
import {
  SERVER_ROUTES,
  SandboxError,
  hasCondition,
  isSandboxError,
  portListSchema,
  previewSchema,
  processListSchema,
  sandboxSchema,
  HOST_ROUTES,
} from '@omnigent/protocol';
import type { PortList, Process, Sandbox, SandboxEvent } from '@omnigent/protocol';
import { applyEvent } from './apply-event.ts';
import { buildStart, collectResult } from './exec.ts';
import type { ExecOptions } from './exec.ts';
import { followEvents } from './follow-events.ts';
import { PortConnection } from './port-connection.ts';
import { RunningProcess } from './running-process.ts';
import type { ExecResult, ProcessContext } from './running-process.ts';
import { SandboxFiles } from './sandbox-files.ts';

export interface Preview {
  readonly url: string;
  /** Until when the address works; RFC 3339. */
  readonly expiresAt: string;
}

/** What a launch that failed leaves: the diagnosis is in `details.diagnosis`. */
function toLaunchFailure(sandbox: Sandbox): SandboxError {
  const { diagnosis, id } = sandbox;
  const message = diagnosis?.message ?? `sandbox ${id} was removed during its launch`;
  return new SandboxError('launch_failed', message, { details: { diagnosis, sandbox_id: id } });
}

export class SandboxHandle implements AsyncDisposable {
  readonly #context: Omit<ProcessContext, 'sandboxId'>;
  #resource: Sandbox;

  constructor(context: Omit<ProcessContext, 'sandboxId'>, resource: Sandbox) {
    this.#context = context;
    this.#resource = resource;
  }

  get id(): string {
    return this.#resource.id;
  }

  /** The resource as last read or told by an event of its launch; {@link refresh} reads it anew. */
  get resource(): Sandbox {
    return this.#resource;
  }

  /** Absolute path of the workspace inside the sandbox. */
  get workspace(): string | null {
    return this.#resource.workspace;
  }

  /** Its files. */
  get files(): SandboxFiles {
    return new SandboxFiles(this.#context, this.id);
  }

  async refresh(signal?: AbortSignal): Promise<Sandbox> {
    this.#resource = await this.#context.http.json(
      { method: 'GET', path: SERVER_ROUTES.sandbox(this.id), signal },
      sandboxSchema,
    );
    return this.#resource;
  }

  /** The sandbox's events from the first one on; goes on by itself after interruptions. */
  events(signal?: AbortSignal): AsyncGenerator<SandboxEvent> {
    const { http, clock, random, reattachBudgetMs } = this.#context;
    return followEvents({ http, clock, random, budgetMs: reattachBudgetMs, sandboxId: this.id, signal });
  }

  /**
   * Resolves when the sandbox is ready.
   *
   * @throws SandboxError `launch_failed` with `details.diagnosis`.
   */
  async whenReady(
    options: {
      readonly signal?: AbortSignal | undefined;
      readonly onEvent?: ((event: SandboxEvent) => void) | undefined;
    } = {},
  ): Promise<void> {
    if (hasCondition(this.#resource.conditions, 'Ready')) return;
    for await (const event of this.events(options.signal)) {
      options.onEvent?.(event);
      this.#resource = applyEvent(this.#resource, event);
      if (hasCondition(this.#resource.conditions, 'Ready')) return;
      if (event.type === 'failed') throw toLaunchFailure(this.#resource);
      if (event.type === 'deleted') break;
    }
    throw toLaunchFailure(this.#resource);
  }

  /** Runs a program to its end. A program that fails is a result, not an exception. */
  async exec(command: readonly string[] | string, options: ExecOptions = {}): Promise<ExecResult> {
    const argv = toArgv(command);
    const process = this.prepare(argv, options);
    return await collectResult(process, { argv, clock: this.#context.clock, options });
  }

  /** A program that starts with the first read of its output (or {@link RunningProcess.ensureStarted}): one round trip. */
  prepare(command: readonly string[] | string, options: ExecOptions = {}): RunningProcess {
    const id = options.processId ?? `p-${crypto.randomUUID()}`;
    return new RunningProcess(
      { ...this.#context, sandboxId: this.id },
      id,
      buildStart(toArgv(command), options),
    );
  }

  /** A program that runs already, by its id. */
  process(id: string): RunningProcess {
    return new RunningProcess({ ...this.#context, sandboxId: this.id }, id);
  }

  /** What listens in the sandbox. */
  async ports(signal?: AbortSignal): Promise<PortList['items']> {
    const path = SERVER_ROUTES.host(this.id, HOST_ROUTES.ports);
    return (await this.#context.http.json({ method: 'GET', path, signal }, portListSchema)).items;
  }

  /** Connects to a port on which a program in the sandbox listens. */
  async connect(port: number, signal?: AbortSignal): Promise<PortConnection> {
    return await PortConnection.open({ ...this.#context, sandboxId: this.id }, port, signal);
  }

  /**
   * An address for the owner's browser that shows the web server on a port of the sandbox. It works once and soon; whoever has it
   * may use it. A program that has the token uses {@link previewAddress}.
   *
   * @throws SandboxError `preview_unavailable` when the server has no domain for previews.
   */
  async preview(port: number, signal?: AbortSignal): Promise<Preview> {
    const call = { method: 'POST', path: SERVER_ROUTES.preview(this.id), json: { port }, signal } as const;
    const { url, expires_at: expiresAt } = await this.#context.http.json(call, previewSchema);
    return { url, expiresAt };
  }

  /**
   * Address of the web server on a port of the sandbox for programs; it ends with `/`.
   *
   * @example
   * await fetch(`${sandbox.previewAddress(3000)}health`, { headers: { authorization: `Bearer ${token}` } });
   */
  previewAddress(port: number): string {
    return new URL(SERVER_ROUTES.previewPath(this.id, port), this.#context.http.url).href;
  }

  async processes(signal?: AbortSignal): Promise<Process[]> {
    const path = SERVER_ROUTES.host(this.id, HOST_ROUTES.processes);
    return (await this.#context.http.json({ method: 'GET', path, signal }, processListSchema)).items;
  }

  /** Ends the sandbox and waits until nothing is left of it. A sandbox that is gone is success. */
  async terminate(
    options: { readonly waitSeconds?: number; readonly signal?: AbortSignal } = {},
  ): Promise<boolean> {
    const { waitSeconds = 120, signal } = options;
    try {
      const query = { wait: waitSeconds };
      const response = await this.#context.http.send({
        method: 'DELETE',
        path: SERVER_ROUTES.sandbox(this.id),
        query,
        signal,
      });
      return response.status === 204;
    } catch (error) {
      if (isSandboxError(error) && error.code === 'sandbox_not_found') return true;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.terminate();
  }
}

/** A string is a command line for `sh -c`. */
function toArgv(command: readonly string[] | string): readonly string[] {
  return typeof command === 'string' ? ['sh', '-c', command] : command;
}
