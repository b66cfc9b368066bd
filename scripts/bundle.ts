/** Bundles command, server and host into packages/cli/dist: three folders, so that each process loads only its own code. */
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { BuildOptions } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

// Some CommonJS dependencies call require() for built-in modules.
const requireBanner =
  "import{createRequire as $$createRequire}from'node:module';const require=$$createRequire(import.meta.url);";

const base: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  conditions: ['source'],
  minify: true,
  keepNames: true,
  sourcemap: false,
  legalComments: 'none',
  logLevel: 'warning',
  banner: { js: requireBanner },
  metafile: true,
};

/** ws and pg ask for native add-ons that are optional; node-pty is native and stays beside the bundle. */
const external = ['bufferutil', 'utf-8-validate', 'pg-native', '@lydell/node-pty'];

const bundles: Record<string, BuildOptions> = {
  cli: { splitting: true },
  server: { splitting: true },
  host: {},
};

await rm(`${root}packages/cli/dist`, { recursive: true, force: true });
await Promise.all(
  Object.entries(bundles).map(([name, options]) =>
    build({
      ...base,
      ...options,
      external,
      entryPoints: { main: `packages/${name}/src/main.ts` },
      outdir: `packages/cli/dist/${name}`,
    }),
  ),
);
