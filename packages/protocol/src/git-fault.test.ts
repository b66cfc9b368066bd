import { describe, expect, it } from 'vitest';
import { diagnoseGit } from './git-fault.ts';

describe('diagnoseGit', () => {
  it.each([
    ['fatal: Remote branch nope not found in upstream origin', 'clone_branch_not_found'],
    [
      "fatal: could not read Username for 'https://git.example.com': terminal prompts disabled",
      'clone_unauthorized',
    ],
    ['remote: HTTP Basic: Access denied', 'clone_unauthorized'],
    ['fatal: Authentication failed for https://git.example.com/a/b/', 'clone_unauthorized'],
    ['git@git.example.com: Permission denied (publickey).', 'clone_unauthorized'],
    ["fatal: repository 'https://git.example.com/a/b/' not found", 'clone_repository_not_found'],
    ['fatal: unable to access: The requested URL returned error: 404', 'clone_repository_not_found'],
    ['fatal: unable to access: server certificate verification failed. CAfile: none', 'clone_certificate'],
    ['Host key verification failed.', 'clone_certificate'],
    ['fatal: unable to access: Could not resolve host: git.example.com', 'clone_unreachable'],
    ['Failed to connect to git.example port 443: Connection refused', 'clone_unreachable'],
    ['error: RPC failed; curl 28 Operation too slow', 'clone_unreachable'],
    ['fatal: write error: No space left on device', 'disk_full'],
    ['fatal: something new', 'clone_failed'],
  ])('of %j is %s', (text, code) => expect(diagnoseGit(text, { isOutOfMemory: false })).toBe(code));

  it('puts memory before everything that git managed to say', () => {
    expect(diagnoseGit('fatal: early EOF', { isOutOfMemory: true })).toBe('clone_out_of_memory');
  });
});
