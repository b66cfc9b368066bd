/** One place where a wall is broken. */
export interface Breach {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly line: number;
  /** What was found and what is allowed. */
  readonly message: string;
}

/** Renders a breach as `path:line message`, which editors and terminals turn into a link. */
export function renderBreach(breach: Breach): string {
  return `${breach.path}:${breach.line} ${breach.message}`;
}
