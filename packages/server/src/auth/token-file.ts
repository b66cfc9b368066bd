/** The bearer token of the API in a file that only its owner may read. */
import { chmod, open, readFile, stat } from 'node:fs/promises';
import { SandboxError } from '@omnigent/protocol';
import type { RandomBytes } from '@omnigent/protocol';

const MIN_TOKEN_CHARACTERS = 16;
const TOKEN_BYTES = 32;

/** Reads a token file that someone else wrote. @throws SandboxError `invalid_config`; the token is never repeated. */
export async function readTokenFile(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new SandboxError('invalid_config', `server.token_file: ${path} cannot be read`, { cause });
  });
  const token = text.trim();
  if (token.length < MIN_TOKEN_CHARACTERS || !/^[\x21-\x7e]+$/.test(token)) {
    throw new SandboxError(
      'invalid_config',
      `server.token_file: expected ${path} to hold one token of at least ${MIN_TOKEN_CHARACTERS} printable characters`,
    );
  }
  return token;
}

/** The token of a state directory; made when there is none. Two processes that start at once agree on one. */
export async function ensureTokenFile(path: string, randomBytes: RandomBytes): Promise<string> {
  const fresh = Buffer.from(randomBytes(TOKEN_BYTES)).toString('base64url');
  try {
    await using file = await open(path, 'wx', 0o600);
    await file.writeFile(`${fresh}\n`);
    return fresh;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const { mode } = await stat(path);
  // A token that others could read before stays in use, or running clients would be locked out; from now on it is private.
  if ((mode & 0o077) !== 0) await chmod(path, 0o600);
  return await readTokenFile(path);
}
