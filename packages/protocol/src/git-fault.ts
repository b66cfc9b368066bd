/** What git's text means, as one of the registry's codes; wherever the clone ran. Pure; the texts are git's, curl's and ssh's own. */
import type { ErrorCode } from './errors.ts';

const RULES: readonly (readonly [RegExp, ErrorCode])[] = [
  [/Remote branch .* not found in upstream|couldn't find remote ref/i, 'clone_branch_not_found'],
  [/'lfs' is not a git command/i, 'git_lfs_missing'],
  [/No space left on device|disk quota exceeded/i, 'disk_full'],
  [/certificate|SSL_ERROR|self.signed|server verification failed/i, 'clone_certificate'],
  [
    /Authentication failed|could not read (Username|Password)|terminal prompts disabled|Permission denied \(|HTTP Basic: Access denied|error: 40[13]\b|invalid credentials/i,
    'clone_unauthorized',
  ],
  [/Host key verification failed|REMOTE HOST IDENTIFICATION/i, 'clone_certificate'],
  [
    /repository .* not found|error: 404|does not appear to be a git repository|does not exist/i,
    'clone_repository_not_found',
  ],
  [
    /Could not resolve host|Connection refused|Connection timed out|Failed to connect|Couldn't connect|Network is unreachable|Connection reset|early EOF|RPC failed|Operation too slow|The requested URL returned error: 5\d\d|unable to access/i,
    'clone_unreachable',
  ],
];

/** The code for a failed git; `clone_failed` when nothing tells more. */
export function diagnoseGit(output: string, facts: { readonly isOutOfMemory: boolean }): ErrorCode {
  if (facts.isOutOfMemory) return 'clone_out_of_memory';
  return RULES.find(([pattern]) => pattern.test(output))?.[1] ?? 'clone_failed';
}
