/** The end of a host is the end of its programs: nobody can reach them any more, and an isolated tree would hold them for good. */
import type { ChildProcess } from 'node:child_process';
import { endProcesses } from '../processes/end-processes.ts';
import type { EndOptions } from '../processes/end-processes.ts';
import type { SandboxPaths } from '../records/paths.ts';
import { readSandboxFile } from '../records/sandbox-file.ts';

/** Ends what a host leaves behind when it dies; what survives is left to the removal of the sandbox, which tells it. */
export function endOrphansWith(child: ChildProcess, paths: SandboxPaths, options: EndOptions): void {
  child.once('exit', () => void endOrphans(paths, options).catch(() => undefined));
}

async function endOrphans({ record }: SandboxPaths, options: EndOptions): Promise<void> {
  const file = await readSandboxFile(record);
  // Gone when the sandbox is being removed: that ends them, too.
  if (file !== undefined) await endProcesses(file, options);
}
