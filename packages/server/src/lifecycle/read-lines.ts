/** Lines of a byte stream; a line that does not end is refused instead of filling the memory. */
import { SandboxError } from '@omnigent/protocol';

const MAX_LINE_CHARACTERS = 64 * 1024;

/** Yields each line without its end. @throws SandboxError `host_protocol`. */
export async function* readLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_CHARACTERS)
      throw new SandboxError('host_protocol', 'the host sent a line without end');
    yield* lines;
  }
  if (rest !== '') yield rest;
}
