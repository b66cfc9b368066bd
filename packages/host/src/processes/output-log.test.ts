import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOG_STREAM, LogDecoder, buildLogRecord } from '@omnigent/protocol';
import type { LogRecord } from '@omnigent/protocol';
import { followOutput } from './follow-output.ts';
import { OutputLog } from './output-log.ts';

const RECORD_BYTES = 1_000;
const never = new AbortController().signal;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'omnigent-log-'));
});
afterEach(async () => await rm(directory, { recursive: true, force: true }));

function createLog(budgetBytes: number): OutputLog {
  return new OutputLog({ directory: join(directory, 'log'), budgetBytes, segmentBytes: 10_000 });
}

/** The n-th record: its bytes tell its number. */
function buildRecord(number: number): Uint8Array[] {
  return [buildLogRecord(LOG_STREAM.stdout, new Uint8Array(RECORD_BYTES - 5).fill(number % 251))];
}

async function readAll(log: OutputLog, offset: number): Promise<LogRecord[]> {
  const decoder = new LogDecoder(offset);
  const records: LogRecord[] = [];
  for await (const chunk of followOutput(log, { offset, follow: true, signal: never }))
    records.push(...decoder.push(chunk));
  return records;
}

describe('OutputLog', () => {
  it('gives a reader everything from any record on, from files and from memory', async () => {
    const log = createLog(10_000_000);
    for (let number = 0; number < 50; number += 1) log.append([buildRecord(number)]);
    await log.flushed();
    for (let number = 50; number < 60; number += 1) log.append([buildRecord(number)]);
    log.end();
    for (const first of [0, 1, 49, 50, 59]) {
      const records = await readAll(log, first * RECORD_BYTES);
      expect(records.map(({ data }) => data[0])).toEqual(
        Array.from({ length: 60 - first }, (_, index) => (first + index) % 251),
      );
    }
    expect(await readAll(log, 60 * RECORD_BYTES)).toEqual([]);
  });

  it('lets the oldest go past its budget and says so to a reader who asks for them', async () => {
    const log = createLog(30_000);
    for (let number = 0; number < 100; number += 1) {
      log.append([buildRecord(number)]);
      await log.flushed();
    }
    log.end();
    const records = await readAll(log, 0);
    expect(records[0]).toMatchObject({ stream: LOG_STREAM.gap, offset: log.firstOffset });
    expect(log.firstOffset).toBeGreaterThan(0);
    expect(records.at(-1)?.data[0]).toBe(99);
    expect(records.length - 1).toBe((100 * RECORD_BYTES - log.firstOffset) / RECORD_BYTES);
    expect((await readdir(join(directory, 'log'))).length).toBeLessThanOrEqual(4);
  });

  it('wakes a follower for every record and ends it at the end', async () => {
    const log = createLog(1_000_000);
    const reading = readAll(log, 0);
    for (let number = 0; number < 20; number += 1) {
      log.append([buildRecord(number)]);
      await Promise.resolve();
    }
    log.end();
    expect((await reading).length).toBe(20);
  });

  it('goes on in memory when the disk takes nothing, and is honest about what it let go', async () => {
    const problems: string[] = [];
    const log = new OutputLog({
      directory: '/dev/null/no-directory',
      budgetBytes: 1_000_000,
      onDiskError: (message) => problems.push(message),
    });
    for (let number = 0; number < 20; number += 1) log.append([buildRecord(number)]);
    await log.flushed();
    log.end();
    expect(problems).toHaveLength(1);
    expect((await readAll(log, 0)).map(({ data }) => data[0])).toEqual(
      Array.from({ length: 20 }, (_, index) => index),
    );
  });

  it('never makes a program wait for a disk that refuses, and keeps the newest output', async () => {
    const log = new OutputLog({ directory: '/dev/null/no-directory', budgetBytes: 100_000_000 });
    for (let number = 0; number < 20_000; number += 1) {
      log.append([buildRecord(number)]);
      await log.whenDrained();
    }
    log.end();
    await log.flushed();
    const records = await readAll(log, 0);
    expect(records[0]).toMatchObject({ stream: LOG_STREAM.gap, offset: log.firstOffset });
    expect(records.at(-1)?.data[0]).toBe(19_999 % 251);
    expect(log.endOffset - log.firstOffset).toBeGreaterThan(7_000_000);
    expect(log.endOffset - log.firstOffset).toBeLessThan(10_000_000);
  });

  it('leaves no file when it is removed', async () => {
    const log = createLog(1_000_000);
    log.append([buildRecord(1)]);
    await log.flushed();
    await log.remove();
    expect(await readdir(directory)).toEqual([]);
  });
});
