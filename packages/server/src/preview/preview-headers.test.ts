import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildAnswerHeaders } from './answer-headers.ts';
import { isOwnCookie, readPreviewCookies, removePreviewCookies, renderPreviewCookie } from './cookies.ts';
import { buildRequestHeaders } from './request-headers.ts';
import type { RequestFacts } from './request-headers.ts';

const FACTS: RequestFacts = {
  host: 'app',
  publicHost: 'app',
  scheme: 'https',
  prefix: '',
  remoteAddress: '::1',
  isAuthorizationOurs: false,
  isUpgrade: false,
};

/** Builds the headers for a program out of those of a request. */
function build(rawHeaders: readonly string[], facts: Partial<RequestFacts> = {}, method = 'GET'): string[] {
  const headers = Object.fromEntries(
    rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? '']] : [],
    ),
  );
  return buildRequestHeaders({ method, headers, rawHeaders }, { ...FACTS, ...facts });
}

describe('the headers of a request', () => {
  it('keep their order, spelling and repetition; those of the connection are said anew', () => {
    const raw = [
      'Host',
      'public',
      'X-B',
      '1',
      'x-a',
      '2',
      'X-b',
      '3',
      'Keep-Alive',
      'x',
      'Connection',
      'close, X-A',
    ];
    expect(build(raw)).toEqual([
      'Host',
      'app',
      'X-B',
      '1',
      'X-b',
      '3',
      'Connection',
      'close',
      'X-Forwarded-For',
      '::1',
      'X-Forwarded-Host',
      'app',
      'X-Forwarded-Proto',
      'https',
      'Forwarded',
      'for="[::1]";host="app";proto=https',
    ]);
  });

  it.each([
    ['POST', [], ['Connection', 'close', 'Content-Length', '0']],
    ['DELETE', ['Content-Length', '3'], ['Connection', 'close', 'Content-Length', '3']],
    [
      'DELETE',
      ['Transfer-Encoding', 'gzip, chunked'],
      ['Connection', 'close', 'Transfer-Encoding', 'chunked'],
    ],
    ['GET', ['Upgrade', 'h2c'], ['Connection', 'close']],
  ])('of %s with %j say how long the body is', (method, raw, framing) => {
    const built = build(raw, {}, method);
    expect(built.slice(2, built.indexOf('X-Forwarded-For'))).toEqual(framing);
  });

  it('ask for the other protocol again', () => {
    const raw = ['Connection', 'keep-alive, Upgrade', 'Upgrade', 'websocket'];
    expect(build(raw, { isUpgrade: true }).slice(2, 6)).toEqual([
      'Connection',
      'Upgrade',
      'Upgrade',
      'websocket',
    ]);
  });

  it.each([
    ['the token', ['Authorization', 'Bearer SECRET'], { isAuthorizationOurs: true }],
    ['a token in a subprotocol', ['Sec-WebSocket-Protocol', 'omnigent.bearer.SECRET'], {}],
    ['a cookie', ['Cookie', '__Host-omnigent-preview=SECRET'], {}],
    ['a cookie among others', ['cookie', 'a=1;omnigent-preview=SECRET; b=2'], {}],
    ['the token of a host', ['X-Omnigent-Host-Token', 'SECRET'], {}],
  ])('never tell %s', (_, raw, facts) => {
    expect(build(raw, facts).join('\n')).not.toContain('SECRET');
  });

  it('pass on what is the program’s own', () => {
    const raw = ['Authorization', 'Bearer theirs', 'Cookie', 'a=1;  b', 'Sec-WebSocket-Protocol', 'chat,v2'];
    expect(build(raw)).toEqual(expect.arrayContaining(raw));
  });
});

describe('cookies', () => {
  const name = fc.constantFrom('a', 'omnigent-preview', '__Host-omnigent-preview', 'xomnigent-preview', '');
  const value = fc.stringMatching(/^[!-:<-~]*$/);
  const header = fc
    .array(fc.tuple(name, value))
    .map((pairs) => pairs.map((pair) => pair.join('=')).join('; '));

  it('of ours are read, and never left', () => {
    fc.assert(
      fc.property(header, (text) => {
        const rest = removePreviewCookies(text);
        expect(readPreviewCookies(rest)).toEqual([]);
        if (readPreviewCookies(text).length === 0) expect(rest).toBe(text);
      }),
    );
  });

  it.each([
    ['a=1', true],
    ['a=1; Domain=x.example; Path=/', true],
    ['a=1; domain=.X.example', true],
    ['a=1; Domain=example', false],
    ['a=1; Domain=x.example; Domain=example', false],
    ['omnigent-preview=1', false],
    [' __Host-omnigent-preview =1', false],
  ])('a program may set %j: %s', (text, isOwn) => expect(isOwnCookie(text, 'x.example')).toBe(isOwn));

  it('of https belong to their host alone', () =>
    expect(renderPreviewCookie('v', 60, { scheme: 'https', domain: 'x.example', port: undefined })).toBe(
      '__Host-omnigent-preview=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
    ));
});

describe('the headers of an answer', () => {
  const raw = [
    'Set-Cookie',
    'a=1',
    'Alt-Svc',
    'h3',
    'set-cookie',
    'b=1; Domain=example',
    'Clear-Site-Data',
    '*',
  ];

  it('are the program’s but for what speaks for other hosts', () =>
    expect(buildAnswerHeaders(raw, { hostname: 'x.example', isSharedOrigin: false })).toEqual([
      'Set-Cookie',
      'a=1',
      'Clear-Site-Data',
      '*',
    ]));

  it('have no power over an origin that is not the program’s', () =>
    expect(buildAnswerHeaders(raw, { hostname: 'x.example', isSharedOrigin: true })).toEqual([
      'Content-Security-Policy',
      'sandbox',
      'X-Content-Type-Options',
      'nosniff',
    ]));
});
