import { describe, expect, it } from 'vitest';
import { parsePreviewDomain } from './preview-domain.ts';

describe('parsePreviewDomain', () => {
  it.each([
    ['preview.example.com', { scheme: 'https', domain: 'preview.example.com', port: undefined }],
    ['Preview.Example.com:8443', { scheme: 'https', domain: 'preview.example.com', port: 8443 }],
    ['http://preview.test:8080', { scheme: 'http', domain: 'preview.test', port: 8080 }],
    ['localhost', { scheme: 'http', domain: 'localhost', port: undefined }],
    ['https://a.localhost', { scheme: 'https', domain: 'a.localhost', port: undefined }],
  ])('reads %s', (text, expected) => expect(parsePreviewDomain(text)).toEqual(expected));

  it.each([
    '',
    '127.0.0.1',
    '[::1]',
    'example.com/',
    'example.com:0',
    'example.com:65536',
    '*.example.com',
    '.example.com',
    'example.com.',
    'ftp://example.com',
    'me@example.com',
    `${'a.'.repeat(120)}example`,
  ])('refuses %j and names the setting', (text) =>
    expect(() => parsePreviewDomain(text)).toThrow(/^server\.preview_domain: /),
  );
});
