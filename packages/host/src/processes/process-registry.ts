/** All programs of this host by the ids that their callers chose; starting one twice starts it once. */
import { isAbsolute, join, resolve } from 'node:path';
import { SandboxError } from '@omnigent/protocol';
import type { Clock, StartProcess } from '@omnigent/protocol';
import { OutputLog } from './output-log.ts';
import { SupervisedProcess } from './supervised-process.ts';

export interface RegistryOptions {
  /** Directory below which each process has its log. */
  readonly directory: string;
  /** Environment that every program inherits. */
  readonly env: Readonly<Record<string, string>>;
  /** Working directory of programs that name none; asked at each start. */
  readonly workspace: () => string;
  readonly bootId: string;
  readonly clock: Clock;
  readonly maxProcesses?: number;
}

const DEFAULT_OUTPUT_BYTES = 256 * 1024 * 1024;
const DEFAULT_MAX_PROCESSES = 2_000;
/** Ended processes whose logs are kept, so that thousands of short programs do not fill the disk. */
const MAX_ENDED = 1_000;

export class ProcessRegistry {
  readonly #options: RegistryOptions;
  readonly #processes = new Map<string, SupervisedProcess>();
  #sequence = 0;
  #isStopping = false;

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** Starts a program, or finds the one that the same request has started before. */
  start(id: string, request: StartProcess): { readonly process: SupervisedProcess; readonly isNew: boolean } {
    const existing = this.#processes.get(id);
    if (existing !== undefined) return { process: this.#sameRequest(existing, request), isNew: false };
    if (this.#isStopping)
      throw new SandboxError('shutting_down', 'the host is shutting down and starts no more programs');
    this.#checkRoom();
    const process = this.#create(id, request);
    this.#processes.set(id, process);
    process.start();
    void process.ended.then(() => this.#forgetOldest());
    return { process, isNew: true };
  }

  /** @throws SandboxError `process_not_found`. */
  get(id: string): SupervisedProcess {
    const found = this.#processes.get(id);
    if (found === undefined)
      throw new SandboxError('process_not_found', `there is no process ${id} in this sandbox`);
    return found;
  }

  list(): SupervisedProcess[] {
    return [...this.#processes.values()];
  }

  /** Ends a program if it runs, and forgets its log. */
  async remove(id: string): Promise<void> {
    const process = this.get(id);
    await process.stop();
    this.#processes.delete(id);
    await process.log.remove();
  }

  /** Ends every program; resolves when all have ended and their logs are written. */
  async stopAll(graceMs: number): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.list().map((process) => process.stop(graceMs)));
    await Promise.all(this.list().map((process) => process.log.flushed()));
  }

  #create(id: string, request: StartProcess): SupervisedProcess {
    const { directory, env, bootId, clock, workspace } = this.#options;
    const cwd = request.cwd ?? '.';
    this.#sequence += 1;
    const log = new OutputLog({
      // The number keeps apart a removed process and a later one of the same id.
      directory: join(directory, `${id}.${this.#sequence}`),
      budgetBytes: request.limits.output_bytes ?? DEFAULT_OUTPUT_BYTES,
    });
    return new SupervisedProcess({
      id,
      request,
      log,
      clock,
      cwd: isAbsolute(cwd) ? cwd : resolve(workspace(), cwd),
      env: { ...env, ...request.env },
      mark: `${bootId}.${this.#sequence}`,
    });
  }

  #sameRequest(existing: SupervisedProcess, request: StartProcess): SupervisedProcess {
    if (JSON.stringify(existing.request) === JSON.stringify(request)) return existing;
    throw new SandboxError('process_conflict', `process ${existing.id} was started with another request`);
  }

  #checkRoom(): void {
    const limit = this.#options.maxProcesses ?? DEFAULT_MAX_PROCESSES;
    const running = this.list().filter((process) => process.isRunning).length;
    if (running >= limit) {
      throw new SandboxError(
        'too_many_processes',
        `expected at most ${limit} running processes, found ${running}`,
      );
    }
  }

  #forgetOldest(): void {
    const ended = this.list().filter((process) => !process.isRunning);
    for (const process of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) {
      this.#processes.delete(process.id);
      void process.log.remove();
    }
  }
}
