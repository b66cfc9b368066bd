import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputSink } from './input-sink.ts';

async function* toBody(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3);
}

function connect(): { sink: InputSink; received: () => number[] } {
  const chunks: Buffer[] = [];
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const sink = new InputSink(true);
  sink.connect(stream);
  return { sink, received: () => [...Buffer.concat(chunks)] };
}

describe('InputSink', () => {
  it('takes every byte once, however writes are repeated and overlap', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 40 }),
        fc.array(fc.tuple(fc.nat(39), fc.nat(40)), { maxLength: 10 }),
        async (bytes, writes) => {
          const { sink, received } = connect();
          for (const [start, length] of writes) {
            const offset = Math.min(start, sink.offset);
            await sink.write(offset, toBody(bytes.slice(offset, offset + length)), { eof: false });
          }
          await sink.write(sink.offset, toBody(bytes.slice(sink.offset)), { eof: true });
          await new Promise((resolve) => setImmediate(resolve));
          expect(received()).toEqual([...bytes]);
          expect(sink.isClosed).toBe(true);
        },
      ),
    );
  });

  it('refuses what is ahead and names the offset that it expects', async () => {
    const { sink } = connect();
    await sink.write(0, toBody(Uint8Array.of(1, 2)), { eof: false });
    await expect(sink.write(5, toBody(Uint8Array.of(1)), { eof: false })).rejects.toMatchObject({
      code: 'input_offset',
      details: { offset: 2 },
    });
  });

  it('takes a repeat after the end of input, and nothing new', async () => {
    const { sink } = connect();
    await sink.write(0, toBody(Uint8Array.of(1)), { eof: true });
    await sink.write(0, toBody(Uint8Array.of(1)), { eof: true });
    await expect(sink.write(1, toBody(Uint8Array.of(2)), { eof: false })).rejects.toMatchObject({
      code: 'input_closed',
    });
  });

  it('keeps what is sent before the program runs', async () => {
    const sink = new InputSink(true);
    const chunks: Buffer[] = [];
    const writing = sink.write(0, toBody(Uint8Array.of(1, 2, 3, 4)), { eof: true });
    const stream = new PassThrough();
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    sink.connect(stream);
    await writing;
    await new Promise((resolve) => setImmediate(resolve));
    expect([...Buffer.concat(chunks)]).toEqual([1, 2, 3, 4]);
  });
});
