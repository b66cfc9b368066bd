/** Which failure git's own text tells of. */
import { SandboxError } from '@omnigent/protocol';
import type { ErrorCode, Repository } from '@omnigent/protocol';
import type { GitResult } from './run-git.ts';

const CODES: readonly (readonly [RegExp, ErrorCode])[] = [
  [/Remote branch .* not found|pathspec .* did not match/, 'clone_branch_not_found'],
  [
    /does not exist|does not appear to be a git repository|not a git repository/,
    'clone_repository_not_found',
  ],
  [/No space left on device|Disk quota exceeded/, 'disk_full'],
  [/Permission denied/, 'clone_unauthorized'],
  [/[Oo]ut of memory|cannot allocate memory/, 'clone_out_of_memory'],
];

/** The code of a failed clone of a repository of this machine. */
export function diagnoseClone({ errors }: Pick<GitResult, 'errors'>): ErrorCode {
  return CODES.find(([pattern]) => pattern.test(errors))?.[1] ?? 'clone_failed';
}

/** The error of a failed clone, with git's text in `details.output`. */
export function toCloneError({ url }: Pick<Repository, 'url'>, result: GitResult): SandboxError {
  const { errors, status, killedBy } = result;
  const lines = errors.split('\n');
  const line = lines.find((text) => /^(fatal|error): /.test(text)) ?? lines.at(-1) ?? '';
  const end = killedBy === null ? `git ended with ${status}` : `git was killed by ${killedBy}`;
  return new SandboxError(diagnoseClone(result), `cannot clone ${url}: ${end}: ${line}`, {
    details: { output: errors },
  });
}
