import type { Breach } from './breach.ts';
import { findAssertionBreaches } from './find-assertion-breaches.ts';
import { findCycles } from './find-cycles.ts';
import { findImportBreaches } from './find-import-breaches.ts';
import { findSizeBreaches } from './find-size-breaches.ts';
import type { Exemption } from './rules.ts';
import { readWorkspace } from './workspace.ts';

/** What a check found out about a tree. */
export interface WallReport {
  readonly files: number;
  readonly imports: number;
  readonly breaches: readonly Breach[];
}

/** Checks every wall of the tree below `root`. */
export async function checkWorkspace(root: string, exemptions: readonly Exemption[]): Promise<WallReport> {
  const workspace = await readWorkspace(root);
  return {
    files: workspace.files.length,
    imports: workspace.files.reduce((sum, file) => sum + file.imports.length, 0),
    breaches: [
      ...findImportBreaches(workspace),
      ...findCycles(workspace),
      ...findSizeBreaches(workspace.files, exemptions),
      ...findAssertionBreaches(workspace.files),
    ],
  };
}
