/** The clone of the init container. */
import { SANDBOX_WORKSPACE } from '@omnigent/protocol';
import type { Repository } from '@omnigent/protocol';
import type { KubernetesConfig } from '../config/parse-config.ts';
import { quoteShell } from './shell.ts';

/** What git says when the network is not there yet: a mesh redirects traffic before its proxy runs. */
const UNREACHABLE =
  'Connection (refused|reset|timed out)|Could not resolve (host|hostname)|Failed to connect|Network is unreachable';

/** A shell function that runs a command again, after 1, 2, 4 and 8 s, while its errors are those of a network that is not there. */
export function renderRetry(): string {
  return [
    'retry() {',
    '  for pause in 1 2 4 8 0; do',
    '    if errors=$("$@" 2>&1 >/dev/null); then return 0; else status=$?; fi',
    `    printf '%s\\n' "$errors" >&2`,
    `    if [ $pause = 0 ] || ! printf %s "$errors" | grep -Eq '${UNREACHABLE}'; then return $status; fi`,
    '    echo "trying again in $pause s" >&2',
    '    sleep $pause',
    '  done',
    '}',
  ].join('\n');
}

/** `git clone` of one repository, into its directory below the workspace; then, by choice, the files that git-lfs holds. */
export function renderClone({ url, branch, directory }: Repository, git: KubernetesConfig['git']): string {
  const { depth, filter, submodules, lfs } = git ?? {};
  const target = `${SANDBOX_WORKSPACE}/${directory}`;
  const words = [
    'git',
    'clone',
    ...(branch === undefined ? [] : ['--branch', branch, '--single-branch']),
    ...(depth === undefined ? [] : ['--depth', String(depth)]),
    ...(filter === undefined ? [] : [`--filter=${filter}`]),
    ...(submodules === true ? ['--recurse-submodules'] : []),
    '--',
    url,
    target,
  ];
  const clone = `GIT_LFS_SKIP_SMUDGE=1 retry ${words.map(quoteShell).join(' ')}`;
  // Not by the clone: an image without git-lfs would leave pointer files and say nothing.
  return lfs === 'fetch' ? `${clone}\nretry git -C ${quoteShell(target)} lfs pull` : clone;
}
