/** Whether and how the command's own stdin goes to the program. */
import { fstatSync } from 'node:fs';

/** A pipe, a file or a socket is given on; a terminal and /dev/null are not. */
export function isInputGiven(flags: { readonly interactive?: boolean; readonly stdin?: boolean }): boolean {
  if (flags.stdin === false) return false;
  if (flags.interactive === true) return true;
  try {
    const facts = fstatSync(0);
    return facts.isFIFO() || facts.isFile() || facts.isSocket();
  } catch {
    return false;
  }
}

/** The bytes of stdin. */
export async function* readInput(): AsyncGenerator<Uint8Array> {
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) yield chunk;
}
