/**
 * Built-in modules of Node.js as objects instead of ES modules. An ES module has its exports listed when it is loaded, and for `node:http`
 * that list runs the getters behind which Node.js keeps its `fetch` and WebSocket: tens of milliseconds of every start for
 * code that nobody calls.
 */
import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

const names = new Set(builtinModules);

/** The plugin; `node:module` stays as it is, because the banner of a bundle imports it. */
export const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  setup(build) {
    build.onResolve({ filter: /^(node:)?[a-z][a-z_/0-9]*$/ }, ({ path }) => {
      const isBuiltin = path.startsWith('node:') || names.has(path);
      if (!isBuiltin || path === 'node:module') return undefined;
      return { path: path.replace(/^(node:)?/, 'node:'), namespace: 'plain-builtins' };
    });
    build.onLoad({ filter: /^node:/, namespace: 'plain-builtins' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};
