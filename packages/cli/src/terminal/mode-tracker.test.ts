import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModeTracker } from './mode-tracker.ts';

function track(...parts: string[]): ModeTracker {
  const tracker = new ModeTracker();
  for (const part of parts) tracker.push(Buffer.from(part));
  return tracker;
}

describe('the modes of a terminal', () => {
  it('need no reset when the program has put everything back', () => {
    const tracker = track('\x1b[?1049h\x1b[?25l\x1b[?2004hx', '\x1b[?2004l\x1b[?25h\x1b[?1049l');
    expect(tracker.renderReset()).toBe('');
    expect(tracker.isAlternate).toBe(false);
  });

  it('are put back, the alternate screen last', () => {
    const tracker = track('\x1b[?1049;1002;1006h\x1b[?25l');
    expect(tracker.isAlternate).toBe(true);
    expect(tracker.renderReset()).toBe('\x1b[0m\x1b[?1002l\x1b[?1006l\x1b[?25h\x1b[?1049l');
  });

  it('are seen wherever their sequences are cut', () => {
    const text = 'a\x1b[?1049hb\x1b[?1003;25lc';
    fc.assert(
      fc.property(fc.integer({ min: 0, max: text.length }), (at) => {
        const tracker = track(text.slice(0, at), text.slice(at));
        expect(tracker.renderReset()).toBe('\x1b[0m\x1b[?25h\x1b[?1049l');
      }),
    );
  });
});
