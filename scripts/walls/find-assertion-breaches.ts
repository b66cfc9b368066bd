/** Assertions that no type stands behind. A linter refuses `any`, `!` and suppressions; this is what is left. */
import type { Breach } from './breach.ts';
import type { SourceFile } from './source-file.ts';

/** Finds every `as unknown as`. */
export function findAssertionBreaches(files: readonly SourceFile[]): Breach[] {
  return files.flatMap(({ path, doubleAssertions }) =>
    doubleAssertions.map((line) => ({
      path,
      line,
      message: 'asserts through unknown; allowed: a schema at the edge, or a type that fits',
    })),
  );
}
