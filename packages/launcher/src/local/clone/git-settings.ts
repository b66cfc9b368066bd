/** Surroundings in which git clones a repository of this machine: nobody's settings, hooks or prompts. */
import { HOST_ENVIRONMENT } from '@omnigent/protocol';

/**
 * The only settings file that git reads beside the repository's own. It is a file because git passes settings of its
 * command line on to no other git, and the one that reads the original checks its owner too: whoever names a repository
 * as their own has agreed to read it, whichever user it belongs to.
 */
export const GIT_SETTINGS = `[safe]
	directory = *
[core]
	hooksPath = /dev/null
	fsmonitor = false
[init]
	templateDir =
	defaultBranch = main
[advice]
	detachedHead = false
[gc]
	auto = 0
[maintenance]
	auto = false
`;

/** The whole environment of git, with the sandbox's mark: an abandoned clone is found and ended like any other process. */
export function buildGitEnvironment(options: {
  readonly settingsPath: string;
  readonly searchPath: string | undefined;
  readonly hostId: string;
}): Record<string, string> {
  return {
    PATH: options.searchPath ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: options.settingsPath,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    // A partial clone would otherwise run what its own settings say to fetch what it lacks.
    GIT_NO_LAZY_FETCH: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    LC_ALL: 'C.UTF-8',
    [HOST_ENVIRONMENT.id]: options.hostId,
  };
}
