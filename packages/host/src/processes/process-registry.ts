/** All programs of this host by the ids that their callers chose; starting one twice starts it once. */
import { rm, readdir } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { SandboxError } from '@omnigent/protocol';
import type { Clock, StartProcess } from '@omnigent/protocol';
import { hasNativePty } from '../pty/native-pty.ts';
import { endPrograms, toPrograms } from './end-program.ts';
import { selectForgotten } from './kept-logs.ts';
import { OutputLog } from './output-log.ts';
import { SupervisedProcess } from './supervised-process.ts';

export interface RegistryOptions {
  /** Directory of this run's logs, one below it for each process. Beside it lie those of earlier runs. */
  readonly directory: string;
  /** Environment that every program inherits. */
  readonly env: Readonly<Record<string, string>>;
  /** Working directory of programs that name none; asked at each start. */
  readonly workspace: () => string;
  readonly bootId: string;
  readonly clock: Clock;
  readonly maxProcesses?: number;
  /** Told when the disk refuses output. */
  readonly report?: (message: string) => void;
}

const DEFAULT_OUTPUT_BYTES = 256 * 1024 * 1024;
const DEFAULT_MAX_PROCESSES = 2_000;

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
    this.#checkStart(request);
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
    this.#forget(process);
    await process.log.remove();
  }

  /** Ends every program and what any has left behind; resolves when all have ended and their logs are written. */
  async stopAll(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const { bootId, clock } = this.#options;
    await Promise.all(this.list().map(({ started }) => started));
    const groups = this.list().flatMap(({ group }) => (group === undefined ? [] : [group]));
    if (this.#sequence > 0) await endPrograms(toPrograms(groups, `${bootId}.`), { clock, graceMs });
    await Promise.all(this.list().map(({ ended }) => ended));
    await Promise.all(this.list().map((process) => process.log.flushed()));
  }

  /** Removes the logs of earlier runs of the host, which nobody can ask for any more. */
  async removeOldLogs(): Promise<void> {
    const parent = join(this.#options.directory, '..');
    const runs = await readdir(parent).catch(() => []);
    const old = runs.filter((run) => join(parent, run) !== this.#options.directory);
    await Promise.all(
      old.map((run) => rm(join(parent, run), { recursive: true, force: true }).catch(() => undefined)),
    );
  }

  #create(id: string, request: StartProcess): SupervisedProcess {
    const { directory, env, bootId, clock, workspace, report } = this.#options;
    const cwd = request.cwd ?? '.';
    this.#sequence += 1;
    const log = new OutputLog({
      // The number keeps apart a removed process and a later one of the same id.
      directory: join(directory, `${id}.${this.#sequence}`),
      budgetBytes: request.limits.output_bytes ?? DEFAULT_OUTPUT_BYTES,
      onDiskError: (message) => report?.(`output of process ${id} cannot be written: ${message}`),
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

  #checkStart(request: StartProcess): void {
    if (this.#isStopping)
      throw new SandboxError('shutting_down', 'the host is shutting down and starts no more programs');
    if (request.pty !== undefined && !hasNativePty())
      throw new SandboxError('host_unsupported', 'this host has no pty binding and cannot open terminals');
    const limit = this.#options.maxProcesses ?? DEFAULT_MAX_PROCESSES;
    const running = this.list().filter((process) => process.isRunning).length;
    if (running < limit) return;
    throw new SandboxError(
      'too_many_processes',
      `expected at most ${limit} running processes, found ${running}`,
    );
  }

  #forgetOldest(): void {
    for (const process of selectForgotten(this.list(), this.#options.clock.now())) {
      this.#forget(process);
      void process.log.remove();
    }
  }

  #forget(process: SupervisedProcess): void {
    // A later process may have the id by now.
    if (this.#processes.get(process.id) === process) this.#processes.delete(process.id);
  }
}
