/** A file sent in parts: after an interruption it goes on where the sandbox has it up to. */
import { HOST_ROUTES, SERVER_ROUTES, SandboxError, fileStatSchema, isSandboxError } from '@omnigent/protocol';
import type { Http } from './http.ts';
import { Reattacher } from './reattach.ts';
import type { ReattachOptions } from './reattach.ts';
import { toReadableStream } from './to-readable-stream.ts';

/** Bytes that can be read again from anywhere. */
export interface UploadSource {
  /** Of the whole file, in bytes. */
  readonly size: number;
  readonly read: (offset: number) => AsyncIterable<Uint8Array>;
}

export interface FileUploadOptions extends ReattachOptions {
  readonly http: Http;
  readonly sandboxId: string;
  readonly query: Readonly<Record<string, string | number | undefined>> & { readonly path: string };
  readonly source: UploadSource;
  /** The same for the same bytes to the same place: a later call goes on where an earlier one broke off. */
  readonly upload: string;
  /** Told what has come when the call begins or goes on, then with every chunk. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

/** @throws SandboxError `disk_full`, `path_forbidden`, `file_conflict`. */
export async function uploadFile(options: FileUploadOptions): Promise<void> {
  const reattacher = new Reattacher(options);
  for (;;) {
    try {
      const offset = await findOffset(options);
      options.onProgress?.(offset);
      return await sendFrom(options, offset, () => reattacher.succeed());
    } catch (error) {
      const { http, signal } = options;
      await reattacher.waitAfter(isSandboxError(error) ? error : http.toConnectionError(error, signal));
    }
  }
}

/** How much of the upload is in the sandbox. */
async function findOffset({
  http,
  sandboxId,
  query,
  upload,
  source,
  signal,
}: FileUploadOptions): Promise<number> {
  const path = SERVER_ROUTES.host(sandboxId, HOST_ROUTES.files);
  try {
    const asked = { path: query.path, stat: 1, upload };
    const { size } = await http.json({ method: 'GET', path, query: asked, signal }, fileStatSchema);
    return Math.min(size, source.size);
  } catch (error) {
    if (isSandboxError(error) && error.code === 'file_not_found') return 0;
    throw error;
  }
}

async function sendFrom(options: FileUploadOptions, offset: number, onSent: () => void): Promise<void> {
  const { http, sandboxId, query, upload, source, signal } = options;
  const count = async function* () {
    let sent = offset;
    for await (const chunk of source.read(offset)) {
      yield chunk;
      // The next chunk is asked for, so this one went on its way.
      sent += chunk.length;
      onSent();
      options.onProgress?.(sent);
    }
    if (sent !== source.size)
      throw new SandboxError('file_changed', `expected ${source.size} bytes to send, found ${sent}`);
  };
  await http.send({
    method: 'PUT',
    path: SERVER_ROUTES.host(sandboxId, HOST_ROUTES.files),
    query: { ...query, upload, offset, size: source.size },
    body: toReadableStream(count()),
    signal,
  });
}
