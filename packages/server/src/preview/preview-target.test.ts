import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOOPBACK_PREVIEWS } from '../settings/preview-domain.ts';
import { buildPreviewName, findTarget } from './preview-target.ts';

const ID = 's0123456789ab';
const find = (url: string, host: string | undefined) => findTarget({ url, host }, LOOPBACK_PREVIEWS);

describe('findTarget', () => {
  it.each([
    ['/', `3000--${ID}.localhost:7070`],
    ['/', `3000--${ID}.LOCALHOST`],
    ['http://whatever.example/', `3000--${ID}.localhost`],
    ['http://whatever.example', `3000--${ID}.localhost`],
  ])('reads %s at %s by its name', (url, host) =>
    expect(find(url, host)).toEqual({ kind: 'name', sandbox: ID, port: 3000, url: '/', prefix: '' }),
  );

  it.each([
    [`/preview/${ID}/3000`, '/'],
    [`/preview/${ID}/3000/`, '/'],
    [`/preview/${ID}/3000?x`, '/?x'],
    [`/preview/${ID}/3000//a/../%2e?x=%2F`, '//a/../%2e?x=%2F'],
  ])('takes the prefix off %s', (path, url) =>
    expect(find(path, '127.0.0.1:7070')).toEqual({
      kind: 'path',
      sandbox: ID,
      port: 3000,
      url,
      prefix: `/preview/${ID}/3000`,
    }),
  );

  it.each([
    ['/', 'localhost:7070'],
    ['/', undefined],
    ['/', `3000--${ID}.localhost.evil.example`],
    ['/', `3000--${ID}.evil.example`],
    ['/', `x.3000--${ID}.localhost`],
    ['/', `3000--${ID}xlocalhost`],
    ['/', `03000--${ID}.localhost`],
    ['/', `65536--${ID}.localhost`],
    ['/', `0--${ID}.localhost`],
    ['/', `3000--s0123.localhost`],
    ['/', `${ID}.localhost`],
    [`/preview/${ID}/65536/`, 'localhost'],
    [`/preview/${ID}/3000x/`, 'localhost'],
    ['/preview//3000/', 'localhost'],
    [`/v1/preview/${ID}/3000/`, 'localhost'],
  ])('leaves %s at %s to the API', (url, host) => expect(find(url, host)).toBeUndefined());

  it('reads every name that is built, and changes no byte of what is asked there', () => {
    const url = fc.string({ unit: 'grapheme-ascii' }).map((text) => `/${text}`);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 65_535 }), url, (port, path) => {
        const host = buildPreviewName(ID, port, LOOPBACK_PREVIEWS);
        expect(find(path, host)).toEqual({ kind: 'name', sandbox: ID, port, url: path, prefix: '' });
      }),
    );
  });
});
