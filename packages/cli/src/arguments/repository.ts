/** `--repo`: an address goes on as it is; a path of this machine becomes the absolute path of its repository. */
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SandboxError, parseRepository } from '@omnigent/protocol';

function looksLikePath(text: string): boolean {
  return /^(\.{1,2}|~|\/)?($|\/)/.test(text) || text.startsWith('/') || text === '.' || text === '..';
}

/** The nearest directory above that holds a repository. */
async function findTopLevel(path: string): Promise<string | undefined> {
  for (let directory = path; ; directory = dirname(directory)) {
    const isWorkTree = await stat(join(directory, '.git')).then(
      () => true,
      () => false,
    );
    const isBare = await stat(join(directory, 'HEAD')).then(
      (facts) => facts.isFile(),
      () => false,
    );
    if (isWorkTree || isBare) return directory;
    if (dirname(directory) === directory) return undefined;
  }
}

/** @throws SandboxError `invalid_repository` for anything that is neither an address nor a repository of this machine. */
export async function resolveRepository(text: string, cwd: string): Promise<string> {
  const hash = text.indexOf('#');
  const address = hash === -1 ? text : text.slice(0, hash);
  const branch = hash === -1 ? '' : text.slice(hash);
  if (!looksLikePath(address)) {
    parseRepository(text);
    return text;
  }
  const path = resolve(cwd, address);
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) throw new SandboxError('invalid_repository', `--repo: ${path} does not exist`);
  const topLevel = facts.isDirectory() ? await findTopLevel(path) : undefined;
  if (topLevel === undefined)
    throw new SandboxError('invalid_repository', `--repo: ${path} is not in a git repository`);
  const found = `${topLevel}${branch}`;
  parseRepository(found, { allowPath: true });
  return found;
}
