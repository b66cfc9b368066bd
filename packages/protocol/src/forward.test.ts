import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FORWARD_WINDOW_BYTES,
  ForwardWindow,
  MAX_FORWARD_MESSAGE_BYTES,
  parseForwardControl,
} from './forward.ts';

describe('parseForwardControl', () => {
  it.each([
    ['{"type":"eof"}', { type: 'eof' }],
    ['{"type":"ack","bytes":7}', { type: 'ack', bytes: 7 }],
    ['{"type":"ack","bytes":-1}', undefined],
    ['{"type":"ping"}', { type: 'ping' }],
    ['{"type":"ack"}', undefined],
    ['{"type":"eof","more":1}', undefined],
    ['eof', undefined],
  ])('reads %s', (text, expected) => expect(parseForwardControl(text)).toEqual(expected));
});

describe('ForwardWindow', () => {
  it('never lets more be on the way than fits, and never stops for good', () => {
    const size = fc.integer({ min: 1, max: MAX_FORWARD_MESSAGE_BYTES });
    fc.assert(
      fc.property(fc.array(size, { maxLength: 60 }), fc.infiniteStream(fc.boolean()), (sizes, turns) => {
        const [from, to] = [new ForwardWindow(), new ForwardWindow()];
        const underway: number[] = [];
        const deliver = () => {
          const bytes = underway.shift() ?? 0;
          expect(to.receive(bytes)).toBe(true);
          const control = to.handle(bytes);
          if (control?.type === 'ack') expect(from.acknowledged(control.bytes)).toBe(true);
        };
        for (const bytes of sizes) {
          while (!from.isOpen || (underway.length > 0 && turns.next().value === true)) deliver();
          from.send(bytes);
          underway.push(bytes);
          const total = underway.reduce((sum, next) => sum + next, 0);
          expect(total).toBeLessThanOrEqual(FORWARD_WINDOW_BYTES + MAX_FORWARD_MESSAGE_BYTES);
        }
        while (underway.length > 0) deliver();
        expect(from.isOpen).toBe(true);
      }),
    );
  });

  it('finds out a side that does not keep to it', () => {
    const window = new ForwardWindow();
    expect(window.receive(FORWARD_WINDOW_BYTES + MAX_FORWARD_MESSAGE_BYTES)).toBe(true);
    expect(window.receive(1)).toBe(false);
    expect(window.acknowledged(1)).toBe(false);
    window.send(10);
    expect(window.acknowledged(10)).toBe(true);
    expect(window.acknowledged(9)).toBe(false);
  });
});
