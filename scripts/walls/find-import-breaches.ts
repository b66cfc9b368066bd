/** Imports that cross a wall. */
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path/posix';
import type { Breach } from './breach.ts';
import { TESTKIT, TEST_PACKAGES, WALLS } from './rules.ts';
import type { PackageWall } from './rules.ts';
import type { ImportFact, SourceFile } from './source-file.ts';
import type { Workspace, WorkspacePackage } from './workspace.ts';

const builtins = new Set(builtinModules);

/** Whether a file is a test or supports tests: anything in test/, `x.test.ts`, anything in a folder `testing` or `fixtures`. */
export function isTestFile(path: string): boolean {
  return path.startsWith('test/') || /\.test\.tsx?$/.test(path) || /\/(testing|fixtures)\//.test(path);
}

/** Finds every import that crosses a wall. */
export function findImportBreaches(workspace: Workspace): Breach[] {
  return workspace.files.flatMap((file) => {
    const owner = workspace.packages.find(({ folder }) => file.path.startsWith(`${folder}/`));
    return file.imports.flatMap((fact) => {
      const message = owner
        ? judgePackageImport({ workspace, owner, file, fact })
        : judgeOuterImport({ workspace, file, fact });
      return message === undefined ? [] : [{ path: file.path, line: fact.line, message }];
    });
  });
}

interface Question {
  readonly workspace: Workspace;
  readonly file: SourceFile;
  readonly fact: ImportFact;
}

/** Scripts, tests and examples may use every package, by its name. */
function judgeOuterImport({ workspace, file, fact }: Question): string | undefined {
  const target = resolvePath(file, fact.specifier);
  if (target === undefined) return judgeDeepImport(workspace, fact.specifier);
  return target.startsWith('packages/')
    ? `imports ${target} by its path; allowed: a package by its name`
    : undefined;
}

function judgePackageImport(question: Question & { readonly owner: WorkspacePackage }): string | undefined {
  const { workspace, owner, file, fact } = question;
  const wall = WALLS[owner.name];
  if (!wall) return `belongs to ${owner.name}, which has no wall; allowed: ${Object.keys(WALLS).join(', ')}`;
  const target = resolvePath(file, fact.specifier);
  if (target !== undefined) {
    return target.startsWith(`${owner.folder}/src/`)
      ? undefined
      : `imports ${target}, outside of ${owner.folder}/src; allowed: another package by its name`;
  }
  if (isBuiltin(fact.specifier)) return judgeBuiltin(wall, { owner, file, specifier: fact.specifier });
  const name = toPackageName(fact.specifier);
  if (workspace.packages.some((candidate) => candidate.name === name)) {
    return judgeDeepImport(workspace, fact.specifier) ?? judgeOwn(wall, { owner, file, name });
  }
  return judgeExternal(wall, { owner, file, name });
}

interface Named {
  readonly owner: WorkspacePackage;
  readonly file: SourceFile;
  readonly name: string;
}

function judgeBuiltin(
  wall: PackageWall,
  { owner, file, specifier }: Pick<Named, 'owner' | 'file'> & { readonly specifier: string },
): string | undefined {
  if (wall.builtins || isTestFile(file.path)) return undefined;
  return `imports ${specifier}; ${owner.name} runs without Node.js and may use no built-in module`;
}

function judgeOwn(wall: PackageWall, { owner, file, name }: Named): string | undefined {
  if (name === owner.name) return `imports its own package ${name}; allowed: a relative path`;
  if (wall.own.includes(name)) return undefined;
  const isTest = isTestFile(file.path);
  if (isTest && name === TESTKIT) return undefined;
  const allowed = isTest ? [...wall.own, TESTKIT] : wall.own;
  return `imports ${name}; ${owner.name} may import ${allowed.join(', ') || 'no other package of this repository'}`;
}

function judgeExternal(wall: PackageWall, { owner, file, name }: Named): string | undefined {
  const isTest = isTestFile(file.path);
  const base = wall.external ?? owner.dependencies;
  const allowed = isTest ? [...base, ...owner.dependencies, ...TEST_PACKAGES] : base;
  if (allowed.includes(name)) return undefined;
  return `imports ${name}; ${owner.name} may import ${allowed.join(', ') || 'no third-party package'}`;
}

/** A package is imported by its bare name: what lies below it is its own matter. */
function judgeDeepImport(workspace: Workspace, specifier: string): string | undefined {
  const name = toPackageName(specifier);
  const isOwn = workspace.packages.some((candidate) => candidate.name === name);
  return isOwn && specifier !== name ? `imports ${specifier}; allowed: ${name}` : undefined;
}

/** Path from the root of the repository that a relative import means; `undefined` for any other. */
export function resolvePath(file: SourceFile, specifier: string): string | undefined {
  return specifier.startsWith('.') ? join(dirname(file.path), specifier) : undefined;
}

/** `@scope/name/deep` → `@scope/name`, `name/deep` → `name`. */
export function toPackageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function isBuiltin(specifier: string): boolean {
  return specifier.startsWith('node:') || builtins.has(specifier);
}
