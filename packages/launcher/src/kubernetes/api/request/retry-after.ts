/** `Retry-After`: seconds, or a date (RFC 9110 §10.2.3). */

/** Milliseconds to wait; null when the header is absent or says nothing sensible. */
export function parseRetryAfter(value: string | string[] | undefined, nowMs: number): number | null {
  const text = (Array.isArray(value) ? value[0] : value)?.trim();
  if (text === undefined || text === '') return null;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // Only what looks like a date: Date.parse would read "-5" as a year.
  const date = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
