/** The section `sandbox.local` of the configuration. */
import { posix } from 'node:path';
import {
  RESERVED_ENVIRONMENT,
  SANDBOX_HOME,
  SandboxError,
  isCredentialName,
  isEnvironmentName,
} from '@omnigent/protocol';
import * as z from 'zod';

type Environment = Readonly<Record<string, string | undefined>>;

/** Directories that every sandbox has for itself; the machine's own would undo the isolation. */
const OWN_DIRECTORIES = ['/proc', '/sys', '/dev', '/run', '/tmp', '/opt/omnigent', SANDBOX_HOME];
/** Of these, a sandbox starts with an empty one that something of the machine can be shown in. */
const OPEN_DIRECTORIES: readonly string[] = ['/tmp'];

const isWithin = (path: string, directory: string) =>
  path === directory || directory === '/' || path.startsWith(`${directory}/`);

/** What is wrong with a path that sandboxes may read; undefined when it is fine. */
export function findReadablePathFault(path: string): string | undefined {
  if (!path.startsWith('/') || path.includes('\0')) return 'expected an absolute path';
  if (posix.normalize(path) !== path || (path !== '/' && path.endsWith('/')))
    return 'expected a normalized path without . .. // or a slash at the end';
  const taken = OWN_DIRECTORIES.find(
    (own) => isWithin(own, path) || (isWithin(path, own) && !OPEN_DIRECTORIES.includes(own)),
  );
  return taken === undefined
    ? undefined
    : `lies at, under or above ${taken}, which every sandbox has for itself`;
}

const readablePathSchema = z.string().superRefine((path, context) => {
  const fault = findReadablePathFault(path);
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
});

/** Keys of the section `sandbox.local`. */
export const localConfigSchema = z.strictObject({
  /** `auto`: bubblewrap where it works, else none with a warning. */
  isolation: z.enum(['auto', 'bubblewrap', 'none']).default('auto'),
  /** Absolute paths of the machine that every sandbox may read. */
  readable_paths: z.array(readablePathSchema).default([]),
  /** Names of variables of the server that every sandbox gets. */
  env: z.array(z.string()).default([]),
  /** Whether a repository may be a path of this machine. */
  local_repositories: z.boolean().default(true),
});

/** The configuration with every default filled in. */
export interface LocalConfig {
  readonly isolation: 'auto' | 'bubblewrap' | 'none';
  readonly readablePaths: readonly string[];
  /** Values of the variables that are passed on, read from the server's environment. */
  readonly passthrough: Readonly<Record<string, string>>;
  readonly localRepositories: boolean;
}

/** Reads the section `sandbox.local`. @throws SandboxError `invalid_config` that names the key. */
export function parseLocalConfig(section: unknown, environment: Environment): LocalConfig {
  const result = localConfigSchema.safeParse(section ?? {});
  if (!result.success) throw new SandboxError('invalid_config', renderIssue(result.error.issues[0]));
  const { isolation, readable_paths, env, local_repositories } = result.data;
  return Object.freeze({
    isolation,
    readablePaths: readable_paths,
    passthrough: readPassthrough(env, environment),
    localRepositories: local_repositories,
  });
}

function renderIssue(issue: z.core.$ZodIssue | undefined): string {
  const path = ['sandbox', 'local', ...(issue?.path ?? [])].map(String).join('.');
  return issue?.code === 'unrecognized_keys'
    ? `${path}: unknown key ${issue.keys.join(', ')}`
    : `${path}: ${issue?.message ?? 'not valid'}`;
}

function readPassthrough(names: readonly string[], environment: Environment): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const fault = findPassthroughFault(name, environment);
      if (fault !== undefined) throw new SandboxError('invalid_config', `sandbox.local.env: ${fault}`);
      return [name, environment[name] ?? ''];
    }),
  );
}

function findPassthroughFault(name: string, environment: Environment): string | undefined {
  if (!isEnvironmentName(name)) return `${JSON.stringify(name)} is not a valid environment variable name`;
  if (RESERVED_ENVIRONMENT.includes(name)) return `${name} is reserved: the launcher sets it itself`;
  if (isCredentialName(name))
    return `${name} looks like a credential, which every program in a sandbox could read`;
  if (environment[name] === undefined) return `${name} is not set in the server's environment`;
  return undefined;
}
