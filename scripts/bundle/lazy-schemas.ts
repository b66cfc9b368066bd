/**
 * Schemas that are built when they are first used. A process uses a handful of the hundred schemas of its bundle; building all of
 * them takes longer than the start of Node.js itself. What is written as `const nameSchema = z.object(…)` at the top of a
 * module becomes `lazySchema(() => z.object(…))`, and schemas inside are looked up by `builtSchema(…)`.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { Visitor, parseSync } from 'oxc-parser';
import type { Expression, Node } from 'oxc-parser';

const runtime = fileURLToPath(new URL('lazy-schema.ts', import.meta.url));

/** The plugin. */
export const lazySchemas: Plugin = {
  name: 'lazy-schemas',
  setup(build) {
    build.onLoad({ filter: /[\\/]packages[\\/][a-z]+[\\/]src[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: makeSchemasLazy(await readFile(path, 'utf8')),
      loader: 'ts',
    }));
  },
};

/** An insertion at an offset of the text. */
interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Rewrites one module. */
export function makeSchemasLazy(text: string): string {
  if (!/Schema|\bzod\b/.test(text)) return text;
  const insertions = findSchemas(text).flatMap((init) => [
    { at: init.start, text: '$lazySchema(() => ' },
    ...findReferences(init),
    { at: init.end, text: ')' },
  ]);
  if (insertions.length === 0) return text;
  const names = 'lazySchema as $lazySchema, builtSchema as $builtSchema';
  return `import { ${names} } from ${JSON.stringify(runtime)};${insert(text, insertions)}`;
}

/** Initializers of the constants at the top of a module that are schemas. */
function findSchemas(text: string): Expression[] {
  const { program } = parseSync('module.ts', text);
  return program.body
    .map((statement) => (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement))
    .flatMap((statement) => (statement?.type === 'VariableDeclaration' ? statement.declarations : []))
    .flatMap(({ init }) => (init !== null && isSchema(init) ? [init] : []));
}

/** Whether an expression is a chain of calls that begins at `z` or at a schema. */
function isSchema(expression: Expression): boolean {
  if (expression.type !== 'CallExpression' || expression.callee.type !== 'MemberExpression') return false;
  let node: Node = expression;
  while (node.type === 'CallExpression' || node.type === 'MemberExpression')
    node = node.type === 'CallExpression' ? node.callee : node.object;
  return (
    node.type === 'Identifier' &&
    (node.name === 'z' || node.name.endsWith('Schema')) &&
    !isParsing(expression)
  );
}

function isParsing({ callee }: { readonly callee: Node }): boolean {
  return (
    callee.type === 'MemberExpression' &&
    callee.property.type === 'Identifier' &&
    /parse/i.test(callee.property.name)
  );
}

/** Names inside a schema that may be schemas, each wrapped in a lookup. */
function findReferences(init: Expression): Insertion[] {
  const found = new Map<number, Insertion[]>();
  const add = (node: Node | null | undefined) => {
    if (node?.type !== 'Identifier' || node.name === 'z' || node.start < init.start || node.end > init.end)
      return;
    found.set(node.start, [
      { at: node.start, text: '$builtSchema(' },
      { at: node.end, text: ')' },
    ]);
  };
  new Visitor({
    CallExpression: ({ arguments: given }) => given.forEach(add),
    ArrayExpression: ({ elements }) => elements.forEach(add),
    MemberExpression: ({ object }) => add(object),
    ObjectExpression: ({ properties }) =>
      properties.forEach(
        (property) => property.type === 'Property' && !property.shorthand && add(property.value),
      ),
  }).visit({ type: 'Program', body: [{ type: 'ExpressionStatement', expression: init }] } as never);
  return [...found.values()].flat();
}

function insert(text: string, insertions: readonly Insertion[]): string {
  let result = '';
  let last = 0;
  for (const { at, text: inserted } of insertions.toSorted((left, right) => left.at - right.at)) {
    result += text.slice(last, at) + inserted;
    last = at;
  }
  return result + text.slice(last);
}
