/** Why there is no preview: a problem document, or for browsers a page of the same words without a script. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PROBLEM_CONTENT_TYPE, toProblem } from '@omnigent/protocol';
import type { Problem } from '@omnigent/protocol';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:15vh auto;padding:0 1rem;color:#222}';
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Answers a request whose answer has not begun. */
export function replyPreviewError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const requestId = String(response.getHeader('x-request-id') ?? '');
  const problem = toProblem(error, requestId);
  const isPage = wantsPage(request);
  response.writeHead(problem.status, {
    'content-type': isPage ? 'text/html; charset=utf-8' : PROBLEM_CONTENT_TYPE,
    'content-security-policy': POLICY,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  });
  response.end(isPage ? renderErrorPage(problem) : JSON.stringify(problem));
}

function wantsPage({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html');
}

/** The page; every word of it is text, whoever wrote it. */
export function renderErrorPage({ title, detail, advice, status, code }: Problem): string {
  const escape = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escape(title)}</title><style>${STYLE}</style></head>
<body><h1>${escape(title)}</h1><p>${escape(detail)}</p><p>${escape(advice)}</p><p><small>${status} ${escape(code)}</small></p></body></html>
`;
}
