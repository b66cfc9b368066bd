import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ATTACH_FRAME, decodeAttachFrame, encodeAttachFrame } from './index.ts';

describe('attach frames', () => {
  it('survive encoding, at any offset that a number can hold exactly', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.uint8Array({ maxLength: 50 }), (offset, bytes) => {
        const frame = { kind: ATTACH_FRAME.input, offset, bytes };
        expect(decodeAttachFrame(encodeAttachFrame(frame))).toEqual(frame);
      }),
    );
  });

  it('are refused, not guessed, for any other bytes', () => {
    expect(decodeAttachFrame(new Uint8Array(8))).toBeUndefined();
    expect(decodeAttachFrame(Uint8Array.from([4, 0, 0, 0, 0, 0, 0, 0, 0]))).toBeUndefined();
    expect(decodeAttachFrame(Uint8Array.from([1, 255, 0, 0, 0, 0, 0, 0, 0]))).toBeUndefined();
  });
});
