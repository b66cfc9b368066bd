/** The `Range` header of RFC 9110: one range of bytes. */

/** Bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The range that a header asks for; `whole` when there is none or it is of a form that may be ignored, `outside` when no byte of the file
 * is in it.
 */
export function parseByteRange(header: string | undefined, size: number): ByteRange | 'whole' | 'outside' {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  const [first, last] = [match?.[1] ?? '', match?.[2] ?? ''];
  if (first === '' && last === '') return 'whole';
  if (first === '')
    return Number(last) === 0 || size === 0
      ? 'outside'
      : { start: Math.max(0, size - Number(last)), end: size };
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= size) return 'outside';
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) };
}
