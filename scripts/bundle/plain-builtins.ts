/**
 * Built-in modules of Node.js as objects instead of ES modules. An ES module has its exports listed when it is loaded, and for `node:http`
 * that list runs the getters behind which Node.js keeps its `fetch` and WebSocket: tens of milliseconds of every start for
 * code that nobody calls. Large ones that are not needed at the start are loaded at the first look at one of their exports.
 */
import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

const names = new Set(builtinModules);

/** Each takes milliseconds to load, or has such a one behind it. */
const LOADED_LATER: ReadonlySet<string> = new Set(
  [
    'child_process',
    'crypto',
    'dns',
    'fs/promises',
    'http',
    'http2',
    'https',
    'net',
    'readline',
    'sqlite',
    'tls',
    'zlib',
  ].map((name) => `node:${name}`),
);

/** The plugin; `node:module` stays as it is, because the banner of a bundle imports it. */
export const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  setup(build) {
    build.onResolve({ filter: /^(node:)?[a-z][a-z_/0-9]*$/ }, ({ path, kind }) => {
      const isBuiltin = path.startsWith('node:') || names.has(path);
      if (!isBuiltin || path === 'node:module') return undefined;
      // What comes late costs no start; and a bundle would offer it without the names of its exports.
      if (kind === 'dynamic-import') return { path, external: true };
      return { path: path.replace(/^(node:)?/, 'node:'), namespace: 'plain-builtins' };
    });
    build.onLoad({ filter: /^node:/, namespace: 'plain-builtins' }, ({ path }) => ({
      contents: LOADED_LATER.has(path) ? buildLateModule(path) : `module.exports = ${buildLoad(path)};`,
    }));
  },
};

function buildLoad(path: string): string {
  return `process.getBuiltinModule(${JSON.stringify(path)})`;
}

/** An object with the same names, each a getter. */
function buildLateModule(path: string): string {
  const exported = Object.keys(process.getBuiltinModule(path) ?? {});
  return `
    let loaded;
    for (const name of ${JSON.stringify(exported)})
      Object.defineProperty(exports, name, { enumerable: true, get: () => (loaded ??= ${buildLoad(path)})[name] });
  `;
}
