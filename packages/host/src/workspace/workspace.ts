/** Makes the workspace once: several repositories in parallel, the first failure ends the rest, repeats are harmless. */
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError, isSandboxError, toErrorMessage } from '@omnigent/protocol';
import type { Clock, PrepareWorkspace, WorkspaceEvent } from '@omnigent/protocol';
import { EventQueue } from './event-queue.ts';
import { cloneRepository, readHead } from './clone.ts';
import { removePartials } from './partial-clones.ts';

export interface WorkspaceOptions {
  /** Absolute directory below which repositories are cloned. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

const PROGRESS_INTERVAL_MS = 250;

interface Preparation {
  readonly request: string;
  readonly events: EventQueue<WorkspaceEvent>;
}

export class Workspace {
  readonly #options: WorkspaceOptions;
  #path: string;
  #preparation: Preparation | undefined;

  constructor(options: WorkspaceOptions) {
    this.#options = options;
    this.#path = options.directory;
  }

  /** Where programs start: the only clone, else the directory above the clones. */
  get path(): string {
    return this.#path;
  }

  /** Starts the preparation, or joins the one that the same request has started; yields its events to the end. */
  prepare(request: PrepareWorkspace): AsyncIterable<WorkspaceEvent> {
    const text = JSON.stringify(request.repositories);
    const running = this.#preparation;
    if (running !== undefined && running.request === text) return running.events.follow();
    if (running !== undefined) {
      throw new SandboxError(
        'workspace_conflict',
        'expected the repositories that the workspace was made with, found others',
      );
    }
    const preparation = { request: text, events: new EventQueue<WorkspaceEvent>() };
    this.#preparation = preparation;
    void this.#run(request, preparation);
    return preparation.events.follow();
  }

  async #run(request: PrepareWorkspace, { events }: Preparation): Promise<void> {
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(request.timeout_seconds * 1000)]);
    try {
      await mkdir(this.#options.directory, { recursive: true });
      await removePartials(this.#options.directory);
      const heads = await Promise.all(
        request.repositories.map((repository) =>
          this.#clone(repository, { request, events, signal }).catch((error: unknown) => {
            controller.abort();
            throw Object.assign(toCloneError(error, request, controller.signal), {
              directory: repository.directory,
            });
          }),
        ),
      );
      const [only] = request.repositories;
      if (only !== undefined && request.repositories.length === 1)
        this.#path = join(this.#options.directory, only.directory);
      events.push({ type: 'done', path: this.#path, heads: Object.fromEntries(heads) });
    } catch (error) {
      // A failed preparation is forgotten, so that it can be asked for again without a new sandbox.
      this.#preparation = undefined;
      events.push(toFailedEvent(error));
    }
    events.end();
  }

  async #clone(
    repository: PrepareWorkspace['repositories'][number],
    {
      request,
      events,
      signal,
    }: { request: PrepareWorkspace; events: EventQueue<WorkspaceEvent>; signal: AbortSignal },
  ): Promise<[string, string | null]> {
    const { directory, env, clock } = this.#options;
    const target = join(directory, repository.directory);
    // A clone appears whole or not at all: what is there was made before, by us or by the launcher.
    if (await exists(target)) return [repository.directory, await readHead(target, { env, signal })];
    let last = -PROGRESS_INTERVAL_MS;
    const onProgress = (message: string) => {
      if (clock.monotonicMs() - last < PROGRESS_INTERVAL_MS) return;
      last = clock.monotonicMs();
      events.push({ type: 'progress', directory: repository.directory, message: message.slice(0, 2000) });
    };
    const head = await cloneRepository({
      repository,
      git: request.git,
      target,
      env,
      signal,
      onProgress,
      clock,
    });
    return [repository.directory, head];
  }
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

function toCloneError(error: unknown, request: PrepareWorkspace, stopped: AbortSignal): SandboxError {
  if (isSandboxError(error) && error.code !== 'canceled') return error;
  const isTimeout = !stopped.aborted || isSandboxError(error);
  return isTimeout
    ? new SandboxError('clone_timeout', `the workspace was not made within ${request.timeout_seconds} s`, {
        cause: error,
      })
    : new SandboxError('clone_failed', toErrorMessage(error), { cause: error });
}

function toFailedEvent(error: unknown): WorkspaceEvent {
  const known = isSandboxError(error) ? error : new SandboxError('clone_failed', toErrorMessage(error));
  const output = known.details['output'];
  return {
    type: 'failed',
    directory: 'directory' in known && typeof known.directory === 'string' ? known.directory : null,
    code: known.code,
    message: known.message.slice(0, 4000),
    output: typeof output === 'string' ? output.slice(-8000) : '',
  };
}
