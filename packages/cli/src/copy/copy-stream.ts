/** `-`: the bytes of a file or a tree as tar, on stdin or stdout. */
import type { SandboxFiles } from '@omnigent/client';
import { SandboxError, readTar } from '@omnigent/protocol';

import type { CopyContext } from './copy-context.ts';
import { follow } from './remote-paths.ts';

/** stdin becomes a file, or is unpacked when the target is a directory or ends with a slash. */
export async function copyFromStream(
  { files, target }: { readonly files: SandboxFiles; readonly target: string },
  input: AsyncIterable<Uint8Array>,
  { signal }: CopyContext,
): Promise<void> {
  const found = await follow(files, target);
  if (found?.kind === 'directory' || target.endsWith('/'))
    return await files.extract(target, input, { parents: true, signal });
  await files.write(target, ReadableStream.from(input), { parents: true, signal });
}

/** A file is written as its bytes, a directory as tar. A link is followed. */
export async function copyToStream(
  { files, source }: { readonly files: SandboxFiles; readonly source: string },
  write: (chunk: Uint8Array) => Promise<void>,
  { signal }: CopyContext,
): Promise<void> {
  const found = await follow(files, source);
  if (found === undefined)
    throw new SandboxError('file_not_found', `there is no ${JSON.stringify(source)} in the sandbox`);
  if (found.kind !== 'directory') {
    for await (const chunk of files.read(found.path, { signal })) await write(chunk);
    return;
  }
  // Reading the archive on its way shows whether it is whole.
  for await (const { pieces } of readTar(passOn(files.archive(found.path, { signal }), write))) void pieces;
}

async function* passOn(
  chunks: AsyncIterable<Uint8Array>,
  write: (chunk: Uint8Array) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    await write(chunk);
    yield chunk;
  }
}
