/** Where claims and Secrets may be mounted: nowhere that the system, the home or another mount needs. */
import { posix } from 'node:path';
import { SANDBOX_HOME } from '@omnigent/protocol';
import * as z from 'zod';

const OS_DIRECTORIES = [
  '/home',
  '/var',
  '/etc',
  '/usr',
  '/opt',
  '/run',
  '/proc',
  '/sys',
  '/dev',
  '/bin',
  '/sbin',
  '/tmp',
  '/root',
  '/boot',
];

const isWithin = (path: string, directory: string) => path === directory || path.startsWith(`${directory}/`);

/** What is wrong with a mount path; undefined when it is fine. */
export function findMountPathFault(path: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  if (!path.startsWith('/') || /[\u0000-\u001f\u007f:]/.test(path))
    return 'expected an absolute path without colons and control characters';
  if (path === '/') return 'the root directory cannot be a mount';
  if (posix.normalize(path) !== path || path.endsWith('/'))
    return 'expected a normalized path without . .. // or a slash at the end';
  if (isWithin(path, SANDBOX_HOME) || isWithin(SANDBOX_HOME, path))
    return `lies at, under or above ${SANDBOX_HOME}`;
  const taken =
    OS_DIRECTORIES.find((directory) => isWithin(path, directory)) ??
    (/^\/lib[^/]*(\/|$)/.test(path) ? '/lib*' : undefined);
  return taken === undefined ? undefined : `lies at or under the system directory ${taken}`;
}

export const mountPathSchema = z.string().superRefine((path, context) => {
  const fault = findMountPathFault(path);
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
});

/** Two of the paths that are the same or nested in each other; undefined when there are none. */
export function findOverlap(paths: readonly string[]): readonly [string, string] | undefined {
  for (const [index, path] of paths.entries()) {
    const other = paths
      .slice(index + 1)
      .find((candidate) => isWithin(candidate, path) || isWithin(path, candidate));
    if (other !== undefined) return [path, other];
  }
  return undefined;
}
