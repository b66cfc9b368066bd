/** Text of the cluster for a message: one line, no control characters, not endless. */
const MAX_TEXT = 600;

/** One line of at most 600 characters. */
export function cleanText(text: string): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}
