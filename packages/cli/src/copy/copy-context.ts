/** What a copy works with. */
import type { Clock } from '@omnigent/protocol';
import type { Progress } from '../output/progress.ts';

export interface CopyContext {
  readonly sandboxId: string;
  readonly progress: Progress;
  readonly clock: Clock;
  /** `-L`: a source that is a link stands for what it leads to. */
  readonly followsLinks: boolean;
  /** Aborts when the copy is to end. */
  readonly signal: AbortSignal;
}

/** One source on its way. */
export interface OneCopy {
  readonly source: string;
  readonly target: string;
  readonly context: CopyContext;
}
