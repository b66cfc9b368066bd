import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeTicket, toLocation } from './ticket-query.ts';

describe('takeTicket', () => {
  it.each([
    ['/?omnigent-ticket=abc', 'abc', '/'],
    ['/a?x=1&omnigent-ticket=abc&y', 'abc', '/a?x=1&y'],
    ['/a?omnigent-ticket=abc&omnigent-ticket=d', 'abc', '/a'],
    ['/a?omnigent-ticket=', '', '/a'],
    ['/a?xomnigent-ticket=1', undefined, '/a?xomnigent-ticket=1'],
    ['/omnigent-ticket=1', undefined, '/omnigent-ticket=1'],
    ['/a?', undefined, '/a?'],
  ])('finds in %s the ticket %s', (url, ticket, rest) =>
    expect(takeTicket(url)).toEqual({ ticket, url: rest }),
  );

  it('leaves every other byte of an address', () => {
    const piece = fc.stringMatching(/^[!"$-%'-~]*$/);
    fc.assert(
      fc.property(piece, fc.array(piece, { minLength: 1 }), fc.nat(), (path, parameters, at) => {
        const url = `/${path.replaceAll('?', '')}?${parameters.join('&')}`;
        expect(takeTicket(url)).toEqual({ ticket: undefined, url });
        const withTicket = parameters.toSpliced(at % (parameters.length + 1), 0, 'omnigent-ticket=t');
        const taken = takeTicket(`/${path.replaceAll('?', '')}?${withTicket.join('&')}`);
        // A query of nothing at all goes with its mark.
        expect(taken).toEqual({
          ticket: 't',
          url: parameters.join('') === '' && parameters.length === 1 ? url.slice(0, -1) : url,
        });
      }),
    );
  });
});

describe('toLocation', () => {
  it('stays at its host whatever the path is', () => {
    const path = fc.stringMatching(/^[/\\a.?#@:]*$/).map((text) => `/${text}`);
    fc.assert(
      fc.property(path, (url) => {
        expect(new URL(toLocation(url), 'http://preview.example').host).toBe('preview.example');
      }),
    );
  });

  it.each(['/', '/a//b', '/a?//'])('keeps %s', (url) => expect(toLocation(url)).toBe(url));
});
