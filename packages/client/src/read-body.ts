/** The bytes of a streamed answer, as they come. */
import { SandboxError } from '@omnigent/protocol';
import type { FetchResponse } from './http.ts';

/** Works where streams cannot be iterated (Safari) too; leaving the loop cancels the answer. */
export async function* readBody({ body }: FetchResponse): AsyncGenerator<Uint8Array> {
  if (body === null) throw new SandboxError('server_answer', 'the answer has no body');
  if (!('getReader' in body)) return yield* body;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
