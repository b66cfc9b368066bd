/** Small chunks are joined, so that a tree of small files costs few messages. */

const BATCH_BYTES = 64 * 1024;

/** Yields the same bytes, those before a failure too; what is yielded is the receiver's own. */
export async function* inBatches(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let batch = new Uint8Array(BATCH_BYTES);
  let filled = 0;
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const chunk of chunks) {
      if (filled + chunk.length > BATCH_BYTES && filled > 0) {
        yield batch.subarray(0, filled);
        batch = new Uint8Array(BATCH_BYTES);
        filled = 0;
      }
      if (chunk.length > BATCH_BYTES) yield chunk;
      else {
        batch.set(chunk, filled);
        filled += chunk.length;
      }
    }
  } catch (error) {
    failure = { error };
  }
  if (filled > 0) yield batch.subarray(0, filled);
  if (failure !== undefined) throw failure.error;
}
