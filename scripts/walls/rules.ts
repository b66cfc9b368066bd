/** What may import what, and how large things may grow: the walls of this repository as data. */

/** What one package may import beside itself. */
export interface PackageWall {
  /** Names of packages of this repository. */
  readonly own: readonly string[];
  /** Third-party packages; absent: whatever its package.json lists. */
  readonly external?: readonly string[];
  /** Whether built-in modules of Node.js may be used. */
  readonly builtins: boolean;
}

/** Third-party packages that tests of any package may import. */
export const TEST_PACKAGES: readonly string[] = ['vitest', 'fast-check'];

/** The package that only tests may import. */
export const TESTKIT = '@omnigent/testkit';

const protocol = '@omnigent/protocol';

/** Walls by package name. A package that is not here may not exist below packages/. */
export const WALLS: Readonly<Record<string, PackageWall>> = {
  '@omnigent/protocol': { own: [], external: ['zod'], builtins: false },
  '@omnigent/launcher': { own: [protocol], builtins: true },
  '@omnigent/host': { own: [protocol], external: ['ws', '@lydell/node-pty'], builtins: true },
  '@omnigent/server': { own: [protocol, '@omnigent/launcher'], builtins: true },
  '@omnigent/client': { own: [protocol], external: [], builtins: false },
  omnigent: { own: ['@omnigent/client', protocol], builtins: true },
  [TESTKIT]: {
    own: [protocol, '@omnigent/launcher', '@omnigent/host', '@omnigent/server', '@omnigent/client'],
    builtins: true,
  },
};

/** Sizes at which a piece of code must be split, without blank lines and comments. */
export const LIMITS = { fileLines: 250, testFileLines: 500, functionLines: 50, parameters: 3 } as const;

/** A place that may exceed a limit, with the reason. */
export interface Exemption {
  /** Path from the root of the repository. */
  readonly path: string;
  /** Name of the function, or `*` for the file itself. */
  readonly subject: string;
  readonly reason: string;
}

/** Places that may exceed a limit. */
export const EXEMPTIONS: readonly Exemption[] = [
  {
    path: 'packages/protocol/src/errors.ts',
    subject: '*',
    reason: 'One table of data, a row for each code: split, a code could be given twice.',
  },
];
