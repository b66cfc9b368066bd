import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from './read-lines.ts';

async function* toStream(chunks: readonly Uint8Array[]) {
  yield* chunks;
}

async function collect(chunks: readonly Uint8Array[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(toStream(chunks), () => undefined)) lines.push(line);
  return lines;
}

describe('lines of a stream', () => {
  it('are whole wherever the chunks were cut, also inside a character', async () => {
    const line = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => !/[\n\r]/.test(text) && text.trim() !== '');
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 8 }),
        fc.integer({ min: 1, max: 7 }),
        async (lines, size) => {
          const bytes = new TextEncoder().encode(lines.map((text) => `${text}\n`).join(''));
          const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
            bytes.subarray(index * size, (index + 1) * size),
          );
          expect(await collect(chunks)).toEqual(lines);
        },
      ),
    );
  });

  it('leave out half a line at the end, and empty ones', async () => {
    expect(await collect([new TextEncoder().encode('one\n\n{"type":"MOD')])).toEqual(['one']);
  });

  it('report every chunk as activity', async () => {
    let count = 0;
    const stream = readLines(toStream([new Uint8Array([97]), new Uint8Array([10])]), () => (count += 1));
    await stream.next();
    expect(count).toBe(2);
  });
});
