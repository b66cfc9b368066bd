import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AttachFormatError,
  AttachMessageReader,
  MAX_ATTACH_FRAME_BYTES,
  encodeAttachMessage,
} from './index.ts';

const messages = fc.array(fc.record({ isBinary: fc.boolean(), data: fc.uint8Array({ maxLength: 40 }) }), {
  maxLength: 8,
});

describe('attach messages in the tunnel', () => {
  it('come out as they went in, however the stream is cut into chunks', () => {
    fc.assert(
      fc.property(messages, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (sent, sizes) => {
        const stream = Buffer.concat(sent.map(encodeAttachMessage));
        const reader = new AttachMessageReader();
        const found = [];
        for (let at = 0, turn = 0; at < stream.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          found.push(...reader.push(stream.subarray(at, at + size)));
          at += size;
        }
        expect(found.map(({ isBinary, data }) => ({ isBinary, data: Uint8Array.from(data) }))).toEqual(sent);
      }),
    );
  });

  it('are refused when they are longer than allowed, before they have come', () => {
    const header = Buffer.alloc(5);
    header.writeUInt32BE(MAX_ATTACH_FRAME_BYTES + 1);
    expect(() => new AttachMessageReader().push(header)).toThrow(AttachFormatError);
  });

  it('are refused when they are neither text nor binary', () => {
    expect(() => new AttachMessageReader().push(Uint8Array.from([0, 0, 0, 0, 2]))).toThrow(AttachFormatError);
  });
});
