import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SandboxError } from '../errors.ts';
import { toProblem } from '../problem.ts';
import type { ArchiveEntry, Piece } from './entry.ts';
import { toEntryPath } from './entry-builder.ts';
import { inBatches } from './in-batches.ts';
import { decodePaxRecords, encodePaxRecords } from './pax-records.ts';
import { SegmentFinder } from './sparse-map.ts';
import { END_OF_ARCHIVE, encodeEntry, encodeFailure, padding } from './tar-encoder.ts';
import { decodeTarHeader, encodeTarHeader } from './tar-header.ts';
import { readTar } from './tar-reader.ts';

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 80 })
  .filter((text) => !/[/\0]/.test(text) && text !== '.' && text !== '..' && text.isWellFormed());
const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
const base = { path, mode: fc.nat(0o777), modifiedAt: fc.nat(2 ** 34) };
const file = fc.record({ ...base, bytes: fc.uint8Array({ maxLength: 3000 }) });
const link = fc.record({ ...base, kind: fc.constantFrom('symlink', 'hardlink'), target: path });

type Given = { readonly entry: ArchiveEntry; readonly bytes: Uint8Array };
const given: fc.Arbitrary<Given> = fc.oneof(
  file.map(
    ({ bytes, ...rest }): Given => ({
      entry: { ...rest, kind: 'file', size: bytes.length, target: '' },
      bytes,
    }),
  ),
  fc.record(base).map(
    (rest): Given => ({
      entry: { ...rest, kind: 'directory', size: 0, target: '' },
      bytes: new Uint8Array(),
    }),
  ),
  link.map(
    (rest): Given => ({
      entry: { ...rest, kind: rest.kind === 'symlink' ? 'symlink' : 'hardlink', size: 0 },
      bytes: new Uint8Array(),
    }),
  ),
);

function pack(entries: readonly Given[]): Uint8Array {
  const parts = entries.flatMap(({ entry, bytes }) => [encodeEntry(entry), bytes, padding(bytes.length)]);
  return new Uint8Array(Buffer.concat([...parts, END_OF_ARCHIVE]));
}

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function join(pieces: AsyncIterable<Piece>, size: number): Promise<Uint8Array> {
  const whole = new Uint8Array(size);
  for await (const { offset, bytes } of pieces) whole.set(bytes, offset);
  return whole;
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Given[]> {
  const all: Given[] = [];
  for await (const { entry, pieces } of readTar(chunks))
    all.push({ entry, bytes: await join(pieces, entry.size) });
  return all;
}

describe('a tar stream', () => {
  it('gives back every entry, whatever its names and however it is cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(given, { maxLength: 8 }),
        fc.integer({ min: 1, max: 2000 }),
        async (all, size) => {
          expect(await readAll(cut(pack(all), size))).toEqual(all);
        },
      ),
    );
  });

  it('of any bytes at all is read or refused with one code', async () => {
    const noise = fc.uint8Array({ maxLength: 2000 });
    await fc.assert(
      fc.asyncProperty(fc.array(given, { maxLength: 3 }), noise, fc.nat(6000), async (all, bytes, at) => {
        const broken = pack(all);
        broken.set(bytes.subarray(0, Math.max(0, broken.length - at)), Math.min(at, broken.length));
        await readAll(cut(broken, 700)).catch((error: unknown) =>
          expect(error).toMatchObject({ code: 'archive_invalid' }),
        );
      }),
    );
  });

  it('that is cut short anywhere is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(given, { minLength: 1, maxLength: 4 }), fc.nat(), async (all, at) => {
        const whole = pack(all);
        // The second block of the end mark may lack.
        const part = whole.subarray(0, at % (whole.length - 1023));
        await expect(readAll(cut(part, 512))).rejects.toMatchObject({ code: 'archive_invalid' });
      }),
    );
  });

  it('passes over the bytes of entries that nobody reads', async () => {
    const all: Given[] = ['a', 'b'].map((path) => ({
      entry: { path, kind: 'file', mode: 0o600, modifiedAt: 0, size: 1000, target: '' },
      bytes: new Uint8Array(1000),
    }));
    const paths: string[] = [];
    for await (const { entry } of readTar(cut(pack(all), 100))) paths.push(entry.path);
    expect(paths).toEqual(['a', 'b']);
  });

  it('holds sparse files without their holes', async () => {
    const segments = [
      { offset: 4096, size: 10 },
      { offset: 2 ** 33, size: 3 },
    ];
    const entry = {
      path: 's',
      kind: 'file',
      mode: 0o600,
      modifiedAt: 1,
      size: 2 ** 34,
      target: '',
      segments,
    } as const;
    const stream = Buffer.concat([
      encodeEntry(entry),
      Buffer.from('0123456789abc'),
      padding(13),
      END_OF_ARCHIVE,
    ]);
    expect(stream.length).toBeLessThan(5000);
    for await (const { entry: read, pieces } of readTar(cut(stream, 100))) {
      expect(read).toEqual(entry);
      const texts: [number, string][] = [];
      for await (const { offset, bytes } of inPieces(pieces))
        texts.push([offset, Buffer.from(bytes).toString()]);
      expect(texts.map(([, text]) => text).join('')).toBe('0123456789abc');
      expect(texts[0]?.[0]).toBe(4096);
    }
  });

  it('tells what its writer failed by', async () => {
    const problem = toProblem(new SandboxError('path_forbidden', 'secret: EACCES'));
    await expect(readAll(cut(encodeFailure(problem), 99))).rejects.toMatchObject({
      code: 'path_forbidden',
      message: 'secret: EACCES',
    });
  });

  it('of GNU tar is read in each of its formats', async () => {
    const long = `${'long'.repeat(20)}/${'name'.repeat(15)}`;
    for (const format of ['gnu', 'pax', 'ustar', 'v7']) {
      const script = `d=$(mktemp -d); cd $d; mkdir -p ${format === 'v7' ? 'x' : long}; echo hi >short; ln -s short link; ln short hard; tar --format=${format} --sort=name -cf - .; rm -r $d`;
      const stream = new Uint8Array(execFileSync('sh', ['-c', script]));
      const all = await readAll(cut(stream, 777));
      const kinds = Object.fromEntries(all.map(({ entry }) => [entry.path, entry.kind]));
      expect(kinds).toMatchObject({ '.': 'directory', hard: 'file', short: 'hardlink', link: 'symlink' });
      if (format !== 'v7') expect(kinds[long]).toBe('directory');
    }
  });

  it('in chunks that are too small is sent in larger ones', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200_000, size: 'max' }),
        fc.integer({ min: 1, max: 90_000 }),
        async (bytes, size) => {
          const parts: Uint8Array[] = [];
          for await (const part of inBatches(cut(bytes, size))) parts.push(part);
          expect(Buffer.concat(parts).equals(bytes)).toBe(true);
        },
      ),
      { numRuns: 5 },
    );
  });
});

async function* inPieces(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  yield* pieces;
}

it.each([['../x'], ['a/../../x'], ['/etc/passwd'], ['a\0b']])(
  'a name %j that leads out is refused',
  (text) => {
    expect(() => toEntryPath(text)).toThrow(expect.objectContaining({ code: 'archive_invalid' }) as Error);
  },
);

it.each([
  ['./a//b/.', 'a/b'],
  ['', '.'],
  ['./', '.'],
  ['...', '...'],
])('the name %j is the path %j', (text, expected) => {
  expect(toEntryPath(text)).toBe(expected);
});

it('records come back, also those whose length changes its own digits', () => {
  const value = fc.string({ maxLength: 200 }).filter((text) => text.isWellFormed());
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[A-Za-z.]{1,20}$/), value), (records) => {
      expect(Object.fromEntries(decodePaxRecords(encodePaxRecords(records)))).toEqual({ ...records });
    }),
  );
});

it('a header whose bytes changed is refused', () => {
  const block = encodeTarHeader({ name: 'n', mode: 1, size: 2, modifiedAt: 3, type: '0', target: '' });
  fc.assert(
    fc.property(fc.nat(147), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const broken = block.slice();
      broken[at] = ((broken[at] ?? 0) + change) & 0xff;
      expect(() => decodeTarHeader(broken)).toThrow('checksum');
    }),
  );
});

it('what is not zero is found in units, neighbours joined', () => {
  const unit = fc.array(fc.boolean(), { maxLength: 40 });
  fc.assert(
    fc.property(unit, fc.integer({ min: 1, max: 6 }), (units, perRead) => {
      const finder = new SegmentFinder();
      const bytes = new Uint8Array(units.flatMap((isSet) => [0, 0, 0, isSet ? 1 : 0, 0, 0, 0, 0]));
      for (let at = 0; at < bytes.length; at += 8 * perRead)
        finder.add(at, bytes.subarray(at, at + 8 * perRead), 8);
      const covered = units.map((_, index) =>
        finder.segments.some(({ offset, size }) => offset <= index * 8 && index * 8 < offset + size),
      );
      expect(covered).toEqual(units);
      const { segments } = finder;
      expect(
        segments.every(
          ({ offset }, index) =>
            index === 0 || offset > (segments[index - 1]?.offset ?? 0) + (segments[index - 1]?.size ?? 0),
        ),
      ).toBe(true);
    }),
  );
});
