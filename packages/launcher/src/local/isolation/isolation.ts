/** How sandboxes of this machine are isolated. */
import { SandboxError } from '@omnigent/protocol';
import type { LocalConfig } from '../config.ts';
import type { Wrapping } from './bubblewrap.ts';
import { openCompileCache } from './compile-cache.ts';
import { probeBubblewrap } from './probe-bubblewrap.ts';
import { readSystemView } from './system-view.ts';

/** The decision: bubblewrap and how, or none and why. */
export type Isolation =
  | ({ readonly kind: 'bubblewrap' } & Wrapping)
  | { readonly kind: 'none'; readonly warning: string | null };

export interface IsolationOptions {
  readonly config: Pick<LocalConfig, 'isolation'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly nodePath: string;
  readonly hostBundle: string;
  readonly isRoot: boolean;
  readonly signal: AbortSignal;
}

/** Decides how sandboxes are isolated. @throws SandboxError `isolation_unavailable` when bubblewrap is demanded and does not work. */
export async function resolveIsolation(options: IsolationOptions): Promise<Isolation> {
  const { config, environment, nodePath, hostBundle, isRoot } = options;
  if (config.isolation === 'none') return { kind: 'none', warning: null };
  const [system, cache] = await Promise.all([readSystemView(), openCompileCache(options)]);
  const wrapping = { system, nodePath, hostBundle, isRoot, compileCache: cache?.directory ?? null };
  const fault = await probeBubblewrap({
    wrapping,
    path: environment['PATH'],
    isFilling: cache?.isFilled === false,
    signal: options.signal,
  });
  if (fault === null) return { kind: 'bubblewrap', ...wrapping };
  if (config.isolation === 'bubblewrap') {
    throw new SandboxError(
      'isolation_unavailable',
      `sandbox.local.isolation: bubblewrap was demanded and does not work: ${fault}`,
    );
  }
  return {
    kind: 'none',
    warning: `this sandbox is NOT isolated from the machine: bubblewrap does not work here (${fault}); repair that, or ask for isolation: none to silence this`,
  };
}

/** Finds the isolation out once and keeps it; a bad outcome is not kept, so that a repaired machine is noticed. */
export class IsolationProbe {
  readonly #options: IsolationOptions;
  #present: Promise<Isolation>;

  /** Begins now, so that the first launch does not wait for it. */
  constructor(options: IsolationOptions) {
    this.#options = options;
    this.#present = this.#begin();
  }

  /** How sandboxes are isolated now. @throws SandboxError `isolation_unavailable`. */
  async get(): Promise<Isolation> {
    const present = this.#present;
    const isGood = await present.then(
      (isolation) => isolation.kind === 'bubblewrap' || isolation.warning === null,
      () => false,
    );
    if (!isGood && this.#present === present) this.#present = this.#begin();
    return await this.#present;
  }

  /** Resolves when no look at the machine is going on. */
  async whenIdle(): Promise<void> {
    await this.#present.catch(() => undefined);
  }

  #begin(): Promise<Isolation> {
    const isolation = resolveIsolation(this.#options);
    // Whoever asks hears of it.
    isolation.catch(() => undefined);
    return isolation;
  }
}
