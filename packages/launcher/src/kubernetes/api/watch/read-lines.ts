/** Whole lines of a stream of bytes; half a line at its end is dropped, because its other half comes again after reconnecting. */
export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
  onActivity: () => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    onActivity();
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line.trim() !== '');
  }
}
