import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildBearerProtocol, parseBearerProtocol } from './index.ts';

const printable = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 512,
});

describe('the subprotocol that carries a token', () => {
  it('gives any token back and is a token of HTTP itself', () => {
    fc.assert(
      fc.property(printable, (token) => {
        const protocol = buildBearerProtocol(token);
        expect(protocol).toMatch(/^[A-Za-z0-9._-]+$/);
        expect(parseBearerProtocol(['omnigent.attach.v1', protocol])).toBe(token);
      }),
    );
  });

  it('is not guessed out of anything else', () => {
    expect(parseBearerProtocol([])).toBeUndefined();
    expect(parseBearerProtocol(['omnigent.attach.v1', 'omnigent.bearer.'])).toBeUndefined();
    expect(parseBearerProtocol(['omnigent.bearer.a/b'])).toBeUndefined();
    expect(parseBearerProtocol([`omnigent.bearer.${'a'.repeat(701)}`])).toBeUndefined();
  });
});
