/** Which ended programs are forgotten with their logs, so that thousands of them do not fill the disk. Pure. */

/** What is known of a program here. */
export interface KeptProgram {
  /** Milliseconds since 1970; undefined while it runs. */
  readonly endedAt: number | undefined;
  readonly log: {
    readonly firstOffset: number;
    readonly endOffset: number;
    /** Readers that are still at it. */
    readonly followers: number;
  };
}

/** Ended programs that are remembered. */
const MAX_ENDED = 1_000;
/** Bytes that the logs of ended programs may take together. */
const MAX_ENDED_BYTES = 1024 * 1024 * 1024;
/** So long after the end, the program is kept for a reader who is just coming back. */
const KEPT_MS = 10 * 60 * 1000;

/** The ended programs that are to be forgotten, oldest first. `programs` is in the order of their starts. */
export function selectForgotten<Program extends KeptProgram>(
  programs: readonly Program[],
  now: number,
): Program[] {
  const ended = programs.filter(({ endedAt }) => endedAt !== undefined);
  let count = ended.length;
  let bytes = ended.reduce((total, program) => total + measure(program), 0);
  const forgotten: Program[] = [];
  for (const program of ended) {
    if (count <= MAX_ENDED && bytes <= MAX_ENDED_BYTES) break;
    const isFresh = program.endedAt !== undefined && now - program.endedAt < KEPT_MS;
    // Too many small ones go at any age; a fresh large one stays, or a reader would lose what was just printed.
    if (program.log.followers > 0 || (isFresh && count <= MAX_ENDED)) continue;
    forgotten.push(program);
    count -= 1;
    bytes -= measure(program);
  }
  return forgotten;
}

function measure({ log }: KeptProgram): number {
  return log.endOffset - log.firstOffset;
}
