import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  LOG_MAX_RECORD_BYTES,
  LOG_STREAM,
  LogDecoder,
  LogFormatError,
  buildLogGap,
  buildLogHeader,
  buildLogRecord,
} from './index.ts';
import type { LogRecord, LogStream } from './index.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Cuts `whole` at the given places, in any order. */
function cut(whole: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
  const edges = [0, ...sorted, whole.length];
  return edges.slice(1).map((edge, index) => whole.slice(edges[index], edge));
}

const record = fc.record({
  stream: fc.constantFrom<LogStream>(LOG_STREAM.stdout, LOG_STREAM.stderr, LOG_STREAM.pty),
  data: fc.uint8Array({ maxLength: 200 }),
});

describe('LogDecoder', () => {
  it('gives back what was built, however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(record, { maxLength: 20 }),
        fc.array(fc.nat(), { maxLength: 30 }),
        (records, places) => {
          const log = concat(records.map(({ stream, data }) => buildLogRecord(stream, data)));
          const decoder = new LogDecoder(0);
          const decoded = cut(log, places).flatMap((chunk) => decoder.push(chunk));
          expect(decoded.map(({ stream, data }) => ({ stream, data: [...data] }))).toEqual(
            records.map(({ stream, data }) => ({ stream, data: [...data] })),
          );
          expect(decoder.boundary).toBe(log.length);
        },
      ),
    );
  });

  it('goes on at its boundary with a new decoder and loses nothing', () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 10 }), fc.nat(), (records, place) => {
        const log = concat(records.map(({ stream, data }) => buildLogRecord(stream, data)));
        const at = place % (log.length + 1);
        const first = new LogDecoder(0);
        const before = first.push(log.slice(0, at));
        const second = new LogDecoder(first.boundary);
        const after = second.push(log.slice(first.boundary));
        expect([...before, ...after].map(({ offset, end }) => [offset, end])).toEqual(
          new LogDecoder(0).push(log).map(({ offset, end }) => [offset, end]),
        );
      }),
    );
  });

  it('goes on at first_offset after a gap, which is not part of the log', () => {
    const decoder = new LogDecoder(10);
    const records: LogRecord[] = decoder.push(
      concat([buildLogGap({ from: 10, firstOffset: 100 }), buildLogRecord(LOG_STREAM.stdout, bytes('x'))]),
    );
    expect(records.map(({ stream, offset, end }) => [stream, offset, end])).toEqual([
      [LOG_STREAM.gap, 100, 100],
      [LOG_STREAM.stdout, 100, 106],
    ]);
  });

  it.each([
    ['an unknown stream', Uint8Array.from([9, 0, 0, 0, 0])],
    ['a record that is too long', buildLogHeader(LOG_STREAM.stdout, LOG_MAX_RECORD_BYTES + 1)],
    ['a gap that is no JSON', buildLogRecord(LOG_STREAM.gap, bytes('{'))],
    ['a gap that goes back', buildLogRecord(LOG_STREAM.gap, bytes('{"from":5,"first_offset":-1}'))],
  ])('refuses %s', (_, chunk) => {
    expect(() => new LogDecoder(0).push(chunk)).toThrow(LogFormatError);
  });
});
