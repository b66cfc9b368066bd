/** Who asks for a preview: a program by its bearer token, a browser by the cookie that its ticket brought. */
import type { IncomingMessage } from 'node:http';
import { SandboxError, isSandboxError } from '@omnigent/protocol';
import type { Caller } from '../auth/bearer.ts';
import { readPreviewCookies } from './cookies.ts';
import { isFromForeignPage } from './foreign-page.ts';
import type { PreviewSessions } from './preview-sessions.ts';
import type { PreviewTarget } from './preview-target.ts';

export interface PreviewCaller {
  readonly owner: string;
  /** The `Authorization` of the request is ours; any other is the program's own. */
  readonly isAuthorizationOurs: boolean;
}

export interface AuthorizeOptions {
  readonly authenticate: (header: string | undefined) => Caller;
  readonly sessions: PreviewSessions;
}

/**
 * Below a path, where previews share the server's origin, cookies count for nothing.
 *
 * @throws SandboxError `unauthenticated`, `preview_closed`.
 */
export function authorizePreview(
  request: IncomingMessage,
  target: PreviewTarget,
  { authenticate, sessions }: AuthorizeOptions,
): PreviewCaller {
  const { method = 'GET', headers } = request;
  if (target.kind === 'path')
    return { owner: authenticate(headers.authorization).owner, isAuthorizationOurs: true };
  const bearer = tryAuthenticate(headers.authorization, authenticate);
  if (bearer !== undefined) return { owner: bearer.owner, isAuthorizationOurs: true };
  const owner = sessions.findOwner(readPreviewCookies(headers.cookie), target.sandbox, target.port);
  if (owner === undefined)
    throw new SandboxError(
      'preview_closed',
      'expected the cookie of an open preview, or the bearer token of its owner, found neither',
    );
  if (isFromForeignPage(method, headers))
    throw new SandboxError(
      'preview_closed',
      'expected a request of the preview itself, found one of another page',
    );
  return { owner, isAuthorizationOurs: false };
}

/** An `Authorization` that is not ours may be the program's. */
function tryAuthenticate(
  header: string | undefined,
  authenticate: AuthorizeOptions['authenticate'],
): Caller | undefined {
  if (header === undefined) return undefined;
  try {
    return authenticate(header);
  } catch (error) {
    if (isSandboxError(error) && error.code === 'unauthenticated') return undefined;
    throw error;
  }
}
