/** The bytes of a file, read on after interruptions: never of two versions of it. */
import { HOST_ROUTES, SERVER_ROUTES, SandboxError, isSandboxError } from '@omnigent/protocol';
import type { FetchResponse, Http } from './http.ts';
import { readBody } from './read-body.ts';
import { Reattacher } from './reattach.ts';
import type { ReattachOptions } from './reattach.ts';

export interface FileDownloadOptions extends ReattachOptions {
  readonly http: Http;
  readonly sandboxId: string;
  readonly path: string;
  /** First byte to read. */
  readonly offset: number;
  /** The version that is wanted. */
  readonly etag?: string | undefined;
}

/** A file that is being read. */
export interface FileDownload {
  /** Changes with the file. */
  readonly etag: string;
  /** Bytes of the whole file. */
  readonly size: number;
  /** From the offset to the end. Throws `file_changed` when the file changes meanwhile. */
  readonly chunks: AsyncGenerator<Uint8Array>;
}

/** @throws SandboxError `file_not_found`, `path_forbidden`, `file_changed` when it is not the version that is wanted. */
export async function openDownload(options: FileDownloadOptions): Promise<FileDownload> {
  const response = await request(options, options.offset, options.etag);
  const etag = response.headers.get('etag') ?? '';
  const size = readSize(response);
  return { etag, size, chunks: readOn(options, { first: response, etag, size }) };
}

async function* readOn(
  options: FileDownloadOptions,
  { first, etag, size }: { readonly first: FetchResponse; readonly etag: string; readonly size: number },
): AsyncGenerator<Uint8Array> {
  const reattacher = new Reattacher(options);
  let response: FetchResponse | undefined = first;
  for (let offset = options.offset; ; ) {
    try {
      response ??= await request(options, offset, etag);
      for await (const chunk of readBody(response)) {
        reattacher.succeed();
        offset += chunk.length;
        yield chunk;
      }
      if (offset >= size) return;
      throw new SandboxError('host_offline', `the file ended at ${offset} of ${size} bytes`);
    } catch (error) {
      const { http, signal } = options;
      await reattacher.waitAfter(isSandboxError(error) ? error : http.toConnectionError(error, signal));
      if (offset >= size) return;
      response = undefined;
    }
  }
}

async function request(
  { http, sandboxId, path, signal }: FileDownloadOptions,
  offset: number,
  etag: string | undefined,
): Promise<FetchResponse> {
  return await http.send({
    method: 'GET',
    path: SERVER_ROUTES.host(sandboxId, HOST_ROUTES.files),
    query: { path },
    // Byte 0 of an empty file is outside of it.
    headers: {
      ...(offset === 0 ? {} : { range: `bytes=${offset}-` }),
      ...(etag === undefined ? {} : { 'if-match': etag }),
    },
    signal,
  });
}

function readSize({ headers }: FetchResponse): number {
  const text =
    /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] ?? headers.get('content-length') ?? '';
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw new SandboxError('host_protocol', 'expected the size of a file, found none');
}
