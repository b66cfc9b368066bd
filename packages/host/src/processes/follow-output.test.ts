import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOG_STREAM, LogDecoder, buildLogHeader } from '@omnigent/protocol';
import type { LogRecord } from '@omnigent/protocol';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followOutput } from './follow-output.ts';
import { OutputLog } from './output-log.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'follow-output-'));
});
afterEach(async () => await rm(directory, { recursive: true, force: true }));

const signal = new AbortController().signal;

/** A record whose every byte says which record it is. */
function append(log: OutputLog, index: number, length: number): void {
  log.append([[buildLogHeader(LOG_STREAM.stdout, length), new Uint8Array(length).fill(index % 251)]]);
}

function expectWhole({ data, stream }: LogRecord): void {
  if (stream === LOG_STREAM.gap) return;
  expect(new Set(data).size).toBeLessThanOrEqual(1);
}

describe('followOutput', () => {
  it('never breaks a record, however far the reader has fallen behind', async () => {
    const steps = fc.array(
      fc.record({
        appended: fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 12 }),
        read: fc.integer({ min: 0, max: 6 }),
        isFlushed: fc.boolean(),
      }),
      { minLength: 1, maxLength: 25 },
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 1500 }), async (all, chunkBytes) => {
        run += 1;
        const log = new OutputLog({
          directory: join(directory, String(run)),
          budgetBytes: 8000,
          segmentBytes: 2000,
        });
        const reading = followOutput(log, { offset: 0, follow: true, signal, chunkBytes });
        const decoder = new LogDecoder(0);
        let index = 0;
        let received = 0;
        const take = async () => {
          const { value, done } = await reading.next();
          if (done === true) return false;
          for (const record of decoder.push(value)) expectWhole(record);
          received = decoder.received;
          return true;
        };
        for (const { appended, read, isFlushed } of all) {
          for (const length of appended) append(log, (index += 1), length);
          if (isFlushed) await log.flushed();
          for (let count = 0; count < read && received < log.endOffset; count += 1) await take();
        }
        log.end();
        while (await take());
        expect(decoder.boundary).toBe(log.endOffset);
        await log.remove();
      }),
      { numRuns: 150 },
    );
  });
});
