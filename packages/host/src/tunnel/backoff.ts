/** How long to wait before the next dial: full jitter, so that a thousand hosts do not come back in one wave. */
const FIRST_MS = 250;
const MAX_MS = 10_000;

/**
 * @param failures how many dials have failed since the last healthy connection; 0 dials at once.
 * @param random a number from 0 up to 1.
 */
export function toDelayMs(failures: number, random: number): number {
  if (failures === 0) return 0;
  return random * Math.min(MAX_MS, FIRST_MS * 2 ** (failures - 1));
}
