/** Reads one TypeScript file into the facts that the walls are about: what it imports and how large its parts are. */
import { Visitor, parseSync } from 'oxc-parser';
import type { Comment, Node, Program } from 'oxc-parser';

/** One import, re-export or `import()` of a literal name. */
export interface ImportFact {
  readonly specifier: string;
  readonly line: number;
  /** Evaluated when the file is loaded, or a type: what a cycle can consist of. */
  readonly isStatic: boolean;
}

/** One function with what counts against its limits. */
export interface FunctionFact {
  readonly name: string;
  readonly line: number;
  readonly codeLines: number;
  readonly parameters: number;
}

/** The facts of one file. */
export interface SourceFile {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly imports: readonly ImportFact[];
  readonly functions: readonly FunctionFact[];
  readonly codeLines: number;
  /** Lines with `as unknown as`: assertions that no type stands behind. */
  readonly doubleAssertions: readonly number[];
}

/** Parses a file; throws when it is no TypeScript. */
export function parseSourceFile(path: string, text: string): SourceFile {
  const { program, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path} cannot be parsed: ${error.message}`);
  const lines = createLineIndex(text, comments);
  return {
    path,
    imports: readImports(program, lines),
    functions: readFunctions(program, lines),
    codeLines: lines.countCode(0, text.length),
    doubleAssertions: readDoubleAssertions(program, lines),
  };
}

interface LineIndex {
  lineAt(offset: number): number;
  /** Lines between two offsets that are neither blank nor comment only. */
  countCode(start: number, end: number): number;
}

function createLineIndex(text: string, comments: readonly Comment[]): LineIndex {
  let code = text;
  for (const { start, end } of comments) {
    code = code.slice(0, start) + code.slice(start, end).replaceAll(/[^\n]/g, ' ') + code.slice(end);
  }
  return {
    lineAt: (offset) => text.slice(0, offset).split('\n').length,
    countCode: (start, end) =>
      code
        .slice(start, end)
        .split('\n')
        .filter((line) => line.trim() !== '').length,
  };
}

function readImports(program: Program, lines: LineIndex): ImportFact[] {
  const imports: ImportFact[] = [];
  const add = (source: Node | null | undefined, isStatic: boolean): void => {
    if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
    imports.push({ specifier: source.value, line: lines.lineAt(source.start), isStatic });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source, true),
    ExportNamedDeclaration: (node) => add(node.source, true),
    ExportAllDeclaration: (node) => add(node.source, true),
    TSImportType: (node) => add(node.source, true),
    ImportExpression: (node) => add(node.source, false),
  }).visit(program);
  return imports;
}

interface Callable {
  readonly start: number;
  readonly end: number;
  readonly parameters: readonly Node[];
}

function readFunctions(program: Program, lines: LineIndex): FunctionFact[] {
  const functions: FunctionFact[] = [];
  const names = new Map<number, string>();
  const add = (node: Callable, ownName: string | undefined): void => {
    functions.push({
      name: ownName ?? names.get(node.start) ?? 'anonymous',
      line: lines.lineAt(node.start),
      codeLines: lines.countCode(node.start, node.end),
      parameters: node.parameters.length,
    });
  };
  const nameOf = (key: Node): string => (key.type === 'Identifier' ? key.name : 'anonymous');
  new Visitor({
    VariableDeclarator: (node) => void (node.init && names.set(node.init.start, nameOf(node.id))),
    Property: (node) => void names.set(node.value.start, nameOf(node.key)),
    PropertyDefinition: (node) => void (node.value && names.set(node.value.start, nameOf(node.key))),
    MethodDefinition: (node) => void names.set(node.value.start, nameOf(node.key)),
    FunctionDeclaration: (node) => add({ ...node, parameters: node.params }, node.id?.name),
    FunctionExpression: (node) => add({ ...node, parameters: node.params }, node.id?.name),
    ArrowFunctionExpression: (node) => add({ ...node, parameters: node.params }, undefined),
  }).visit(program);
  return functions;
}

function readDoubleAssertions(program: Program, lines: LineIndex): number[] {
  const found: number[] = [];
  new Visitor({
    TSAsExpression: ({ expression, start }) => {
      const isDouble =
        expression.type === 'TSAsExpression' && expression.typeAnnotation.type === 'TSUnknownKeyword';
      if (isDouble) found.push(lines.lineAt(start));
    },
  }).visit(program);
  return found;
}
