/** The repository grammar: `https://…` or `git@host:path`, optionally `#branch`; `local` also takes a path. */
import { SandboxError } from './errors.ts';

export interface Repository {
  /** As git gets it: an https or ssh URL, an scp-like address, or an absolute path. */
  readonly url: string;
  /** Branch or tag to check out; the remote's default when absent. */
  readonly branch?: string;
  /** Name of the directory below the workspace: the last part of the path without `.git`. */
  readonly directory: string;
}

export interface ParseRepositoryOptions {
  /** Whether an absolute path of the machine is a repository too (`local` provider). */
  readonly allowPath?: boolean;
}

const SCP_LIKE = /^(?<user>[A-Za-z0-9_][A-Za-z0-9_.-]*)@(?<hostname>[A-Za-z0-9][A-Za-z0-9.-]*):(?<path>.+)$/;
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const CONTROL = /[\u0000-\u001f\u007f]/;
const COMMIT_ID = /^[0-9a-f]{40}([0-9a-f]{24})?$/i;

function refuse(text: string, problem: string, advice: string): never {
  const shown = JSON.stringify(text.replace(/\/\/.*@/s, '//***@'));
  throw new SandboxError('invalid_repository', `repository ${shown}: ${problem}; ${advice}`);
}

/**
 * Parses a repository argument.
 *
 * @throws SandboxError `invalid_repository` with a message of its own for each kind of fault; user info is never repeated.
 * @example parseRepository('https://git.example.com/team/app.git#main')
 * // { url: 'https://git.example.com/team/app.git', branch: 'main', directory: 'app' }
 */
export function parseRepository(text: string, options: ParseRepositoryOptions = {}): Repository {
  if (text === '')
    refuse(text, 'is empty', 'expected https://HOST/PATH or git@HOST:PATH, optionally #BRANCH');
  if (CONTROL.test(text)) refuse(text, 'contains a control character', 'remove it');
  if (text.startsWith('-'))
    refuse(text, 'looks like an option', 'expected https://HOST/PATH or git@HOST:PATH');
  const hash = text.indexOf('#');
  const url = hash === -1 ? text : text.slice(0, hash);
  const branch = hash === -1 ? undefined : text.slice(hash + 1);
  const path = parseAddress(text, url, options);
  const directory = toDirectory(text, path);
  if (branch === undefined) return { url, directory };
  const fault = findBranchFault(branch);
  if (fault !== undefined) refuse(text, fault, 'write #BRANCH with the name of a branch or tag');
  return { url, branch, directory };
}

/** Checks the address and returns its path. */
function parseAddress(text: string, url: string, options: ParseRepositoryOptions): string {
  if (/\s/.test(url)) refuse(text, 'contains white space', 'encode it as %20');
  if (url.startsWith('/')) {
    if (options.allowPath === true) return url;
    refuse(text, 'is a path of this machine', 'this provider clones https://HOST/PATH or git@HOST:PATH only');
  }
  if (/^(https|ssh):\/\//i.test(url)) return parseUrl(text, url);
  const scheme = /^([a-z][a-z0-9+.-]*):(\/\/|:)/i.exec(url)?.[1];
  if (scheme !== undefined)
    refuse(text, `has the unsupported scheme ${scheme}:`, 'use https:// or git@HOST:PATH');
  const scp = SCP_LIKE.exec(url)?.groups;
  if (scp?.path === undefined)
    refuse(text, 'is not a repository address', 'expected https://HOST/PATH or git@HOST:PATH');
  if (scp.path.startsWith('-'))
    refuse(text, 'has a path that looks like an option', 'expected git@HOST:PATH');
  return scp.path;
}

function parseUrl(text: string, url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || parsed.hostname === '')
    refuse(text, 'is not a valid URL', 'expected https://HOST/PATH');
  const isSsh = parsed.protocol === 'ssh:';
  if (parsed.password !== '' || (parsed.username !== '' && !isSsh)) {
    refuse(
      text,
      'carries user info',
      'put credentials into the Secret named by secret_name, never into a URL',
    );
  }
  if (parsed.hostname.startsWith('-') || parsed.username.startsWith('-')) {
    refuse(text, 'has a host or user that looks like an option', 'expected ssh://git@HOST/PATH');
  }
  if (parsed.search !== '') refuse(text, 'carries a query', 'a repository URL has none');
  return parsed.pathname;
}

function toDirectory(text: string, path: string): string {
  const last = path.replace(/\/+$/, '').split(/[/:]/).at(-1) ?? '';
  let name = last;
  try {
    name = decodeURIComponent(last);
  } catch {
    refuse(text, 'has a path with a broken % escape', 'write a % itself as %25');
  }
  name = name.replace(/\.git$/, '');
  const isUsable =
    name !== '' && name !== '.' && name !== '..' && !name.startsWith('-') && !/[/\\]/.test(name);
  if (!isUsable || CONTROL.test(name) || name === '.git' || new TextEncoder().encode(name).length > 255) {
    refuse(text, 'has no usable name as its last part', 'expected a path such as /team/app.git');
  }
  return name;
}

/**
 * What is wrong with a branch name, by the rules of git-check-ref-format(1); undefined when it is fine.
 * Commit ids are refused too: `git clone --branch` takes none.
 */
export function findBranchFault(branch: string): string | undefined {
  if (branch === '') return 'has an empty branch';
  if (CONTROL.test(branch)) return 'has a branch with a control character';
  if (branch.startsWith('-')) return 'has a branch that looks like an option';
  if (COMMIT_ID.test(branch)) return 'names a commit id where a branch is expected';
  if (new TextEncoder().encode(branch).length > 244) return 'has a branch that is too long';
  if (branch === '@' || /[ ~^:?*[\\]|\.\.|@\{|\/\/|^\/|[/.]$/.test(branch)) {
    return `has the branch ${JSON.stringify(branch)}, which git does not allow`;
  }
  const hasBadPart = branch.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock'));
  return hasBadPart ? `has the branch ${JSON.stringify(branch)}, which git does not allow` : undefined;
}

/** Writes a repository the way {@link parseRepository} reads it. */
export function renderRepository(repository: Repository): string {
  return repository.branch === undefined ? repository.url : `${repository.url}#${repository.branch}`;
}
