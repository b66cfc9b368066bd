/** What starts share. */
import type { Clock } from '@omnigent/protocol';
import type { LocalConfig } from '../config.ts';
import type { Isolation } from '../isolation/isolation.ts';

/** What stays the same for all sandboxes of a launcher. */
export interface StartContext {
  readonly isolation: Isolation;
  readonly config: LocalConfig;
  readonly instance: string;
  readonly nodePath: string;
  readonly hostBundle: string;
  /** The server's PATH, for `git` and `bwrap`. */
  readonly machinePath: string | undefined;
  readonly clock: Clock;
}
