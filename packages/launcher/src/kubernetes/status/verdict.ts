/** What a Pod's state means for a launch, as a union to branch on. */
import type { ErrorCode, Stage } from '@omnigent/protocol';

/** Why a launch cannot work, with the facts that the Pod itself shows. */
export interface Fault {
  readonly code: ErrorCode;
  /** One sentence with the facts. */
  readonly message: string;
  /** The container concerned; its log is part of the evidence. */
  readonly container?: string;
  /** It may pass by itself (a Secret that is just late): it counts when it lasts this long. */
  readonly graceMs: number;
  /** The node refused before anything ran: the same launch may work under a fresh name. */
  readonly relaunchable: boolean;
}

export type Verdict =
  /** `detail` is worth showing ("image pull: rate limit, still retrying"); a change of `progress` is progress. */
  | { readonly state: 'waiting'; readonly stage: Stage; readonly detail?: string; readonly progress: string }
  | { readonly state: 'running' }
  | { readonly state: 'failed'; readonly fault: Fault };

/** A fault with the usual values. */
export function buildFault(facts: Pick<Fault, 'code' | 'message'> & Partial<Fault>): Fault {
  return { graceMs: 0, relaunchable: false, ...facts };
}
