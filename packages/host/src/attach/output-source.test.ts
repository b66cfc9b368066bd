import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ATTACH_FRAME, LOG_STREAM, LogDecoder, buildLogHeader } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutputLog } from '../processes/output-log.ts';
import { OutputSource } from './output-source.ts';
import type { OutputStep } from './output-source.ts';

let directory: string;
let log: OutputLog;
let nowMs = 0;
const clock: Clock = { now: () => nowMs, monotonicMs: () => nowMs, sleep: () => Promise.resolve() };

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'omnigent-source-'));
  log = new OutputLog({ directory: join(directory, 'log'), budgetBytes: 64 * 1024 * 1024 });
  nowMs = 0;
});
afterEach(async () => {
  await log.remove();
  await rm(directory, { recursive: true, force: true });
});

function write(bytes: number): void {
  for (let left = bytes; left > 0; left -= 10_000) {
    const data = Buffer.alloc(Math.min(left, 10_000), 'x');
    log.append([[buildLogHeader(LOG_STREAM.pty, data.length), data]]);
  }
}

const takeImage = () => ({ offset: log.endOffset, bytes: Buffer.from('the screen') });

/** Steps until there is nothing more to do at once. */
async function drain(source: OutputSource, maxBytes = 1 << 20): Promise<OutputStep[]> {
  const steps: OutputStep[] = [];
  for (;;) {
    const step = await source.next(maxBytes);
    steps.push(step);
    if (step.type === 'wait' || step.type === 'end') return steps;
  }
}

const frames = (steps: readonly OutputStep[]) =>
  steps.flatMap((step) => (step.type === 'frame' ? [step.frame] : []));

describe('what a viewer is sent', () => {
  it('is the screen and then what comes, when it names no place', async () => {
    write(200_000);
    await using source = new OutputSource({ log, offset: undefined, takeImage, clock });
    const [image, ...others] = frames(await drain(source));
    expect(image).toMatchObject({ kind: ATTACH_FRAME.screen, offset: log.endOffset });
    expect(others).toEqual([]);
    write(5);
    expect(frames(await drain(source))).toMatchObject([
      { kind: ATTACH_FRAME.output, offset: log.endOffset - 10 },
    ]);
  });

  it('is only what comes, when there is no terminal', async () => {
    write(1_000);
    await using source = new OutputSource({ log, offset: undefined, takeImage: undefined, clock });
    expect(await drain(source)).toEqual([{ type: 'wait' }]);
  });

  it('is every byte from the place that it names', async () => {
    write(300_000);
    await using source = new OutputSource({ log, offset: 0, takeImage, clock });
    const decoder = new LogDecoder(0);
    const records = frames(await drain(source, 7_000)).flatMap(({ bytes }) => decoder.push(bytes));
    expect(records.reduce((total, { data }) => total + data.length, 0)).toBe(300_000);
  });

  it('is the screen, when it was away for more than 1 MiB', async () => {
    write(1_200_000);
    await using source = new OutputSource({ log, offset: 0, takeImage, clock });
    expect(source.offset).toBe(log.endOffset);
    expect(frames(await drain(source))).toMatchObject([{ kind: ATTACH_FRAME.screen }]);
  });

  it('is the screen, when it is behind for more than two seconds', async () => {
    await using source = new OutputSource({ log, offset: 0, takeImage, clock });
    write(100_000);
    nowMs = 1_900;
    expect((await source.next(1_000)).type).toBe('frame');
    nowMs = 2_100;
    expect(await source.next(1_000)).toEqual({ type: 'resync', from: 1_000, offset: log.endOffset });
    expect(await source.next(1_000)).toMatchObject({ type: 'frame', frame: { kind: ATTACH_FRAME.screen } });
  });

  it('is never skipped without a terminal, nor when the program has ended', async () => {
    for (const image of [undefined, takeImage]) {
      await using source = new OutputSource({ log, offset: log.endOffset, takeImage: image, clock });
      write(100_000);
      if (image !== undefined) log.end();
      nowMs += 60_000;
      expect(frames(await drain(source)).every(({ kind }) => kind === ATTACH_FRAME.output)).toBe(true);
    }
  });
});
