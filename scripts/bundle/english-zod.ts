/**
 * zod without its translations. Whoever imports all of zod (a dependency of the server does) would carry the messages of fifty
 * languages, which are read at every start and never shown: messages here are English.
 */
import type { Plugin } from 'esbuild';

/** The plugin. */
export const englishZod: Plugin = {
  name: 'english-zod',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.c?js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};
