/** Who calls: a bearer token compared with the server's own, in constant time. */
import { SandboxError } from '@omnigent/protocol';
import { isSameDigest, toDigest } from '../tunnel/token.ts';

export interface Caller {
  readonly owner: string;
}

/** Creates the check of an `Authorization` header. @throws SandboxError `unauthenticated`. */
export function createAuthenticator(
  tokenDigest: string,
  owner: string,
): (header: string | undefined) => Caller {
  return (header) => {
    const token = /^Bearer ([\x21-\x7e]{1,512})$/.exec(header ?? '')?.[1];
    if (token === undefined)
      throw new SandboxError(
        'unauthenticated',
        'expected the header Authorization: Bearer TOKEN, found none',
      );
    if (!isSameDigest(toDigest(token), tokenDigest))
      throw new SandboxError('unauthenticated', 'the bearer token is not one of this server');
    return { owner };
  };
}
