/** Reads server-sent events out of a byte stream (the subset that the server writes). */

export interface ServerSentEvent {
  readonly id: string;
  readonly data: string;
}

const MAX_LINE_CHARACTERS = 1024 * 1024;

/** Yields each event as it is complete. */
export async function* readServerSentEvents(
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let id = '';
  let data: string[] = [];
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_CHARACTERS) throw new RangeError('a server-sent event is too long');
    for (const line of lines) {
      if (line.startsWith('id: ')) id = line.slice('id: '.length);
      else if (line.startsWith('data: ')) data.push(line.slice('data: '.length));
      else if (line === '' && data.length > 0) {
        yield { id, data: data.join('\n') };
        data = [];
      }
    }
  }
}
