import { describe, expect, it } from 'vitest';
import { Viewers } from './viewers.ts';
import type { Viewer } from './viewers.ts';

function viewer(id: string): Viewer & { readonly heard: string[] } {
  const heard: string[] = [];
  return {
    id,
    heard,
    onDriver: () => heard.push('driver'),
    onSize: () => heard.push('size'),
    onReplaced: () => heard.push('replaced'),
  };
}

describe('viewers', () => {
  it('have one driver: the first that wants to be', () => {
    const viewers = new Viewers();
    viewers.join(viewer('looks'), 'follow');
    expect(viewers.driver).toBeNull();
    viewers.join(viewer('a'), 'drive');
    viewers.join(viewer('b'), 'drive');
    expect(viewers.driver).toBe('a');
    expect(viewers.drive('b', { force: false })).toBe(false);
  });

  it('may take over; everyone hears of it and an epoch begins', () => {
    const viewers = new Viewers();
    const a = viewer('a');
    viewers.join(a, 'drive');
    const { epoch } = viewers;
    viewers.join(viewer('b'), 'take');
    expect(viewers.driver).toBe('b');
    expect(viewers.epoch).toBe(epoch + 1);
    expect(a.heard).toEqual(['driver', 'driver']);
  });

  it('keep their place through an interruption, in the same epoch', () => {
    const viewers = new Viewers();
    const a = viewer('a');
    viewers.join(a, 'drive');
    const { epoch } = viewers;
    viewers.leave(a, { isForGood: false });
    viewers.join(viewer('a'), 'drive');
    expect(viewers.driver).toBe('a');
    expect(viewers.epoch).toBe(epoch);
  });

  it('that are away give way to one that asks, and look on when they come back', () => {
    const viewers = new Viewers();
    const a = viewer('a');
    viewers.join(a, 'drive');
    viewers.leave(a, { isForGood: false });
    viewers.join(viewer('b'), 'drive');
    viewers.join(viewer('a'), 'drive');
    expect(viewers.driver).toBe('b');
  });

  it('that leave for good leave nobody driving', () => {
    const viewers = new Viewers();
    const a = viewer('a');
    viewers.join(a, 'drive');
    viewers.leave(a, { isForGood: true });
    expect(viewers.driver).toBeNull();
  });

  it('replace their own connection; the late end of the old one changes nothing', () => {
    const viewers = new Viewers();
    const old = viewer('a');
    viewers.join(old, 'drive');
    viewers.join(viewer('a'), 'drive');
    expect(old.heard).toContain('replaced');
    viewers.leave(old, { isForGood: true });
    expect(viewers.driver).toBe('a');
  });
});
