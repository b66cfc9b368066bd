/** Command, server and host as bundles: three folders, so that each process loads only its own code. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { BuildOptions, OutputFile } from 'esbuild';
import { englishZod } from './english-zod.ts';
import { lazySchemas } from './lazy-schemas.ts';
import { plainBuiltins } from './plain-builtins.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

// Some CommonJS dependencies call require() for built-in modules.
const requireBanner =
  "import{createRequire as $$createRequire}from'node:module';const require=$$createRequire(import.meta.url);";

/** ws and pg ask for native add-ons that are optional; node-pty is native and stays beside the bundle. */
const external = ['bufferutil', 'utf-8-validate', 'pg-native', '@lydell/node-pty'];

/** Names of the bundles; each is a folder of {@link BUNDLE_FOLDER}. */
export const BUNDLES = ['cli', 'server', 'host'] as const;

/** Name of a bundle. */
export type BundleName = (typeof BUNDLES)[number];

/** What is started of each. `omnigent version` loads nothing but the version. */
const ENTRIES: Readonly<Record<BundleName, readonly string[]>> = {
  cli: ['main', 'version'],
  server: ['main'],
  host: ['main'],
};

/** Where the bundles are written: the package that is published with them. */
export const BUNDLE_FOLDER = `${root}packages/cli/dist`;

/** What the host's bundle may weigh: it is copied into every sandbox and read at every start. */
export const HOST_BUNDLE_LIMIT_BYTES = 300 * 1024;

/** Bundles one part in memory. The host is one file; the others load rare parts when they need them. */
export async function createBundle(name: BundleName): Promise<OutputFile[]> {
  const { outputFiles } = await build({ ...buildOptions(name), write: false });
  return outputFiles;
}

function buildOptions(name: BundleName): BuildOptions {
  return {
    absWorkingDir: root,
    entryPoints: ENTRIES[name].map((entry) => `packages/${name}/src/${entry}.ts`),
    outdir: `${BUNDLE_FOLDER}/${name}`,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    conditions: ['source'],
    splitting: name !== 'host',
    minify: true,
    sourcemap: false,
    legalComments: 'none',
    logLevel: 'warning',
    banner: { js: requireBanner },
    external,
    plugins: [plainBuiltins, englishZod, lazySchemas],
  };
}
