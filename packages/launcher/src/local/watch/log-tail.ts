/** Reads the end of a host's log. */
import { open } from 'node:fs/promises';

const MAX_LINES = 20;
const MAX_CHARACTERS = 1_500;
const TAIL_BYTES = 16 * 1024;

/** The last lines of a log: at most 20 lines and 1,500 characters, without control characters and tokens; empty when there is none. */
export async function readLogTail(path: string): Promise<string> {
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, start);
    return cleanTail(buffer.subarray(0, bytesRead).toString('utf8'));
  } catch {
    return '';
  }
}

/** Cuts and cleans a log's text. */
export function cleanTail(text: string): string {
  const lines = text
    // oxlint-disable-next-line no-control-regex -- control characters are what this removes
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
    // Tokens are 32 bytes in base64url.
    .replace(/(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g, '***')
    .trimEnd()
    .split('\n')
    .slice(-MAX_LINES);
  return lines.join('\n').slice(-MAX_CHARACTERS);
}
