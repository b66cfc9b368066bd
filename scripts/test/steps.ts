/** What `npm test` consists of, as data. */

/** A check that has no count: it holds or it does not. */
export interface Check {
  readonly name: string;
  readonly argv: readonly string[];
}

/** All checks of source text, quickest first. */
export const CHECKS: readonly Check[] = [
  { name: 'format', argv: ['biome', 'format', '.'] },
  { name: 'lint', argv: ['oxlint', '--type-aware'] },
  { name: 'typecheck', argv: ['tsc', '--noEmit', '-p', 'tsconfig.json'] },
  { name: 'walls', argv: ['node', 'scripts/check-walls.ts'] },
  { name: 'unused', argv: ['knip'] },
];

/** The suites of tests; each is a project of vitest.config.ts. */
export const SUITES = ['unit', 'integration', 'contract', 'cluster', 'outage'] as const;

/** Name of a suite of tests. */
export type Suite = (typeof SUITES)[number];

/** What runs when nothing is named: everything that needs no cluster. */
export const DEFAULT_STEPS = ['check', 'unit', 'integration', 'contract'] as const;
