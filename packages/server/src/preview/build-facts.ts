/** What a request becomes at the program, and what its answer may say. Pure. */
import type { IncomingMessage } from 'node:http';
import type { PreviewDomain } from '../settings/preview-domain.ts';
import type { AnswerFacts } from './answer-headers.ts';
import type { PreviewTarget } from './preview-target.ts';
import { buildRequestHeaders } from './request-headers.ts';

interface FactOptions {
  readonly domain: PreviewDomain | undefined;
  readonly isAuthorizationOurs: boolean;
  readonly isUpgrade: boolean;
}

interface PreviewFacts {
  readonly program: { readonly method: string; readonly headers: readonly string[] };
  readonly answer: AnswerFacts;
}

/**
 * A preview of its own name is seen by the program under that name, as its pages are, so that its checks of `Host` against `Origin`
 * hold. Below a path it is `localhost:PORT`, as for a program beside it.
 */
export function buildFacts(
  request: IncomingMessage,
  { kind, port, prefix }: PreviewTarget,
  { domain, isAuthorizationOurs, isUpgrade }: FactOptions,
): PreviewFacts {
  const { method = 'GET', headers, rawHeaders, socket } = request;
  const publicHost = headers.host ?? '';
  const isName = kind === 'name';
  const sent = buildRequestHeaders(
    { method, headers, rawHeaders },
    {
      host: isName ? publicHost : `localhost:${port}`,
      publicHost,
      scheme: isName && domain !== undefined ? domain.scheme : readScheme(headers['x-forwarded-proto']),
      prefix,
      remoteAddress: socket.remoteAddress ?? 'unknown',
      isAuthorizationOurs,
      isUpgrade,
    },
  );
  const hostname = publicHost.toLowerCase().replace(/:\d*$/, '');
  return { program: { method, headers: sent }, answer: { hostname, isSharedOrigin: !isName } };
}

/** A proxy that ends TLS in front of the server says so; only the program hears it. */
function readScheme(header: string | string[] | undefined): 'http' | 'https' {
  return header === 'https' ? 'https' : 'http';
}
