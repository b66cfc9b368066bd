import { PassThrough, Readable } from 'node:stream';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readChunks } from './read-chunks.ts';

async function collect(stream: Readable): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(stream)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('readChunks', () => {
  it('gives every byte in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 200 })), async (chunks) => {
        const buffers = chunks.map((chunk) => Buffer.from(chunk));
        expect(await collect(Readable.from(buffers, { objectMode: false }))).toEqual(Buffer.concat(buffers));
      }),
    );
  });

  it('stops the stream while its reader is busy', async () => {
    const stream = new PassThrough({ highWaterMark: 1024 });
    const reading = readChunks(stream);
    const first = reading.next();
    stream.write(Buffer.alloc(512));
    await first;
    let written = 0;
    while (stream.write(Buffer.alloc(64 * 1024)) && written < 1_000) {
      written += 1;
      await new Promise(setImmediate);
    }
    expect(written).toBeLessThan(100);
    await reading.return(undefined);
    expect(stream.destroyed).toBe(true);
  });

  it('throws the error of the stream after what came before it', async () => {
    const stream = new PassThrough();
    const reading = readChunks(stream);
    const first = reading.next();
    stream.write('begun');
    expect(String((await first).value)).toBe('begun');
    const next = reading.next();
    stream.destroy(new Error('reset'));
    await expect(next).rejects.toThrow('reset');
  });

  it('throws when the stream was cut without a word, also before the first look', async () => {
    const stream = new PassThrough();
    const next = readChunks(stream).next();
    stream.destroy();
    await expect(next).rejects.toThrow('cut');
    await expect(readChunks(stream).next()).rejects.toThrow('cut');
  });
});
