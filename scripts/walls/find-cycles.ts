/** Import cycles between files and between packages. */
import type { Breach } from './breach.ts';
import { isTestFile, resolvePath, toPackageName } from './find-import-breaches.ts';
import type { Workspace } from './workspace.ts';

/** Who imports whom: names to the names they point at. */
type Graph = ReadonlyMap<string, readonly string[]>;

/** Finds cycles between files (types included, `import()` left out) and between packages (tests left out). */
export function findCycles(workspace: Workspace): Breach[] {
  const fileCycles = findGraphCycles(buildFileGraph(workspace)).map(
    (cycle): Breach => ({
      path: cycle[0] ?? '',
      line: lineOfImport(workspace, cycle),
      message: `is part of an import cycle: ${renderCycle(cycle)}; allowed: none`,
    }),
  );
  const packageCycles = findGraphCycles(buildPackageGraph(workspace)).map(
    (cycle): Breach => ({
      path: workspace.packages.find(({ name }) => name === cycle[0])?.folder ?? '',
      line: 1,
      message: `is part of a cycle of packages: ${renderCycle(cycle)}; allowed: none`,
    }),
  );
  return [...fileCycles, ...packageCycles];
}

function buildFileGraph({ files }: Workspace): Graph {
  return new Map(
    files.map((file) => [
      file.path,
      file.imports.flatMap((fact) => (fact.isStatic ? (resolvePath(file, fact.specifier) ?? []) : [])),
    ]),
  );
}

function buildPackageGraph({ packages, files }: Workspace): Graph {
  return new Map(
    packages.map(({ name, folder }) => {
      const own = files.filter((file) => file.path.startsWith(`${folder}/`) && !isTestFile(file.path));
      const names = own.flatMap((file) => file.imports.map((fact) => toPackageName(fact.specifier)));
      return [name, [...new Set(names)].filter((target) => target !== name)];
    }),
  );
}

/** One cycle for each start of a walk that comes back to itself; a cycle is reported once. */
function findGraphCycles(graph: Graph): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const walk = (name: string, path: readonly string[]): void => {
    const seenAt = path.indexOf(name);
    if (seenAt >= 0) {
      cycles.push(path.slice(seenAt));
      return;
    }
    if (done.has(name)) return;
    for (const next of graph.get(name) ?? []) walk(next, [...path, name]);
    done.add(name);
  };
  for (const name of graph.keys()) walk(name, []);
  return cycles;
}

function lineOfImport({ files }: Workspace, [from = '', to = from]: readonly string[]): number {
  const file = files.find(({ path }) => path === from);
  return file?.imports.find((fact) => resolvePath(file, fact.specifier) === to)?.line ?? 1;
}

function renderCycle(cycle: readonly string[]): string {
  return [...cycle, cycle[0]].join(' → ');
}
