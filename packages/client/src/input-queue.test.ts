import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputQueue } from './input-queue.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined) => new TextDecoder().decode(value);

describe('input on its way', () => {
  it('waits until this viewer drives, and is numbered from there', () => {
    const queue = new InputQueue();
    queue.push(bytes('ab'));
    expect(queue.take()).toBeUndefined();
    queue.begin(3, 100);
    expect(queue.take()).toEqual({ offset: 100, bytes: bytes('ab') });
    expect(queue.take()).toBeUndefined();
  });

  it('is sent again from where the host is after an interruption', () => {
    const queue = new InputQueue();
    queue.begin(1, 0);
    queue.push(bytes('hello'));
    queue.take();
    queue.begin(1, 2);
    expect(queue.take()).toEqual({ offset: 2, bytes: bytes('llo') });
  });

  it('of an epoch that is over is dropped: it may have arrived', () => {
    const queue = new InputQueue();
    queue.begin(1, 0);
    queue.push(bytes('rm -rf'));
    queue.take();
    queue.begin(3, 40);
    expect(queue.take()).toBeUndefined();
    queue.push(bytes('x'));
    expect(queue.take()).toEqual({ offset: 40, bytes: bytes('x') });
  });

  it('is in flight up to 64 KiB', () => {
    const queue = new InputQueue();
    queue.begin(1, 0);
    queue.push(new Uint8Array(100_000));
    expect(queue.take()?.bytes.length).toBe(65_536);
    expect(queue.take()).toBeUndefined();
    queue.acked(65_536);
    expect(queue.take()?.bytes.length).toBe(100_000 - 65_536);
  });

  it('arrives whole and once, whatever is lost and whenever', () => {
    const step = fc.oneof(
      fc.record({
        type: fc.constant('type' as const),
        text: fc.string({ unit: 'grapheme-ascii', maxLength: 9 }),
      }),
      // Whether the frame arrives, and whether its acknowledgement does.
      fc.record({ type: fc.constant('send' as const), arrives: fc.boolean(), isAcked: fc.boolean() }),
      fc.record({ type: fc.constant('reattach' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const queue = new InputQueue();
        const host = { received: '' };
        let typed = '';
        let isCut = false;
        queue.begin(1, 0);
        const send = (arrives: boolean, isAcked: boolean) => {
          const frame = queue.take();
          if (frame === undefined) return;
          isCut ||= !arrives;
          if (isCut) return;
          host.received += text(frame.bytes.slice(host.received.length - frame.offset));
          if (isAcked) queue.acked(host.received.length);
        };
        const reattach = () => {
          isCut = false;
          queue.begin(1, host.received.length);
        };
        for (const each of steps) {
          if (each.type === 'type') {
            typed += each.text;
            queue.push(bytes(each.text));
          } else if (each.type === 'send') send(each.arrives, each.isAcked);
          else reattach();
        }
        reattach();
        send(true, true);
        expect(host.received).toBe(typed);
        expect(queue.byteCount).toBe(0);
      }),
    );
  });
});
