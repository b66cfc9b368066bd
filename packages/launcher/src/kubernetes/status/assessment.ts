/** What a Pod's status means for a launch. */
import type { Stage } from '@omnigent/protocol';
import type { Doubt, Failure } from './failure.ts';

/** Stages that are read off a Pod. */
export type PodStage = Extract<Stage, 'scheduling' | 'pulling' | 'cloning' | 'starting'>;

export interface Waiting {
  readonly state: 'waiting';
  readonly stage: PodStage;
  /** What it waits for, for people; null when there is nothing to say. */
  readonly detail: string | null;
  /** Fails the launch when it lasts. */
  readonly doubt: Doubt | null;
  /** The status says that something is wrong but not what; the events may. */
  readonly isUnexplained: boolean;
  /** Changes when the Pod has come further; a container that fails in turns is no progress. */
  readonly fingerprint: string;
}

export type Assessment =
  | Waiting
  | { readonly state: 'running' }
  | { readonly state: 'failed'; readonly stage: PodStage; readonly failure: Failure };
