import { describe, expect, it } from 'vitest';
import { isFromForeignPage } from './foreign-page.ts';

const fetched = (site: string, mode: string, destination: string) => ({
  'sec-fetch-site': site,
  'sec-fetch-mode': mode,
  'sec-fetch-dest': destination,
});

describe('isFromForeignPage', () => {
  it.each([
    ['GET', fetched('same-origin', 'cors', 'empty'), false],
    ['GET', fetched('none', 'navigate', 'document'), false],
    ['GET', fetched('cross-site', 'navigate', 'document'), false],
    ['GET', fetched('same-site', 'navigate', 'document'), false],
    ['POST', fetched('same-site', 'navigate', 'document'), true],
    ['GET', fetched('same-site', 'navigate', 'iframe'), true],
    ['GET', fetched('same-site', 'no-cors', 'image'), true],
    ['GET', fetched('cross-site', 'cors', 'empty'), true],
    // A page may keep its origin to itself; its own fetch metadata tells.
    ['POST', { ...fetched('same-origin', 'navigate', 'document'), origin: 'null' }, false],
    ['GET', { host: 'a.example' }, false],
    ['GET', { host: 'A.example:80', origin: 'http://a.example' }, false],
    ['GET', { host: 'a.example:7070', origin: 'http://a.example:7070' }, false],
    ['GET', { host: 'a.example:7070', origin: 'http://b.example:7070' }, true],
    ['POST', { host: 'a.example', origin: 'null' }, true],
    ['GET', { host: 'a.example', origin: '' }, true],
  ])('%s with %j: %s', (method, headers, isForeign) =>
    expect(isFromForeignPage(method, headers)).toBe(isForeign),
  );
});
