/** Files of a sandbox. Paths are absolute or start at the workspace. */
import { HOST_ROUTES, SERVER_ROUTES, directoryListSchema, fileStatSchema } from '@omnigent/protocol';
import type { DirectoryList, FileStat } from '@omnigent/protocol';
import { openDownload } from './file-download.ts';
import type { FileDownload } from './file-download.ts';
import { uploadFile } from './file-upload.ts';
import type { UploadSource } from './file-upload.ts';
import type { Http } from './http.ts';
import { readBody } from './read-body.ts';
import type { ReattachOptions } from './reattach.ts';
import type { ProcessContext } from './running-process.ts';
import { toReadableStream } from './to-readable-stream.ts';

export interface FileCallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ReadFileOptions extends FileCallOptions {
  /** First byte to read. Default: 0. */
  readonly offset?: number | undefined;
  /** The version that is wanted, from an earlier {@link SandboxFiles.open}. */
  readonly etag?: string | undefined;
}

export interface WriteFileOptions extends FileCallOptions {
  /** Permission bits, such as `0o755`; by default those of the file that is there. */
  readonly mode?: number | undefined;
  /** Time of the last change. Default: now. */
  readonly modifiedAt?: Date | undefined;
  /** Makes missing directories. */
  readonly parents?: boolean | undefined;
}

export interface UploadOptions extends WriteFileOptions {
  /** 8 to 64 letters, digits, `-` or `_`, the same for the same bytes to the same place: a later call goes on where one broke off. */
  readonly upload?: string | undefined;
  /** Told how many bytes are on their way or there. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

type FileContext = Pick<ProcessContext, 'http' | 'clock' | 'random' | 'reattachBudgetMs'>;

export class SandboxFiles {
  readonly #context: FileContext;
  readonly #http: Http;
  readonly #sandboxId: string;

  constructor(context: FileContext, sandboxId: string) {
    this.#context = context;
    this.#http = context.http;
    this.#sandboxId = sandboxId;
  }

  /** What a path is; a symbolic link is not followed. @throws SandboxError `file_not_found`, `path_forbidden`. */
  async stat(path: string, { signal }: FileCallOptions = {}): Promise<FileStat> {
    const query = { path, stat: 1 };
    return await this.#http.json({ method: 'GET', path: this.#files, query, signal }, fileStatSchema);
  }

  /** The entries of a directory in the order of their names; `truncated` past 10,000. */
  async list(path: string, { signal }: FileCallOptions = {}): Promise<DirectoryList> {
    const query = { path, list: 1 };
    return await this.#http.json({ method: 'GET', path: this.#files, query, signal }, directoryListSchema);
  }

  /** Begins to read a file: its version and size are known before its bytes, which go on after interruptions. */
  async open(path: string, { offset = 0, etag, signal }: ReadFileOptions = {}): Promise<FileDownload> {
    return await openDownload({ ...this.#toReattach(signal), path, offset, etag });
  }

  /** The bytes of a file as they come, also after interruptions. @throws SandboxError `file_changed` when it changes meanwhile. */
  async *read(path: string, options: ReadFileOptions = {}): AsyncGenerator<Uint8Array> {
    yield* (await this.open(path, options)).chunks;
  }

  async readBytes(path: string, options: FileCallOptions = {}): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of this.read(path, options)) {
      chunks.push(chunk);
      size += chunk.length;
    }
    const whole = new Uint8Array(size);
    let offset = 0;
    for (const chunk of chunks) {
      whole.set(chunk, offset);
      offset += chunk.length;
    }
    return whole;
  }

  /** The file as UTF-8 text. */
  async readText(path: string, options: FileCallOptions = {}): Promise<string> {
    return new TextDecoder().decode(await this.readBytes(path, options));
  }

  /** The file appears whole or not at all. */
  async write(
    path: string,
    data: string | Uint8Array | ReadableStream<Uint8Array>,
    options: WriteFileOptions = {},
  ): Promise<void> {
    const body = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    const { signal } = options;
    await this.#http.send({ method: 'PUT', path: this.#files, query: toQuery(path, options), body, signal });
  }

  /** Writes bytes that can be read again: goes on after interruptions where the sandbox has them up to. */
  async upload(path: string, source: UploadSource, options: UploadOptions = {}): Promise<void> {
    const { upload = crypto.randomUUID(), onProgress, signal } = options;
    const query = toQuery(path, options);
    await uploadFile({ ...this.#toReattach(signal), query, source, upload, onProgress });
  }

  /** A directory with all below it as a tar stream, with `.` for itself; a file or link is one entry under its name. */
  async *archive(
    path: string,
    { follow, signal }: FileCallOptions & { readonly follow?: boolean | undefined } = {},
  ): AsyncGenerator<Uint8Array> {
    const query = { path, follow: follow === true ? 1 : 0 };
    const response = await this.#http.send({ method: 'GET', path: this.#archive, query, signal });
    try {
      yield* readBody(response);
    } catch (error) {
      throw this.#http.toConnectionError(error, signal);
    }
  }

  /** Unpacks a tar stream in a directory; `parents` makes it. What came before a failure is there. @throws SandboxError `archive_invalid`. */
  async extract(
    path: string,
    chunks: AsyncIterable<Uint8Array>,
    { parents, signal }: FileCallOptions & { readonly parents?: boolean | undefined } = {},
  ): Promise<void> {
    const query = { path, parents: parents === true ? 1 : 0 };
    const body = toReadableStream(chunks);
    await this.#http.send({ method: 'PUT', path: this.#archive, query, body, signal });
  }

  /** Removes a file, a link, an empty directory or, with `recursive`, a tree. */
  async remove(
    path: string,
    { recursive, signal }: FileCallOptions & { readonly recursive?: boolean | undefined } = {},
  ): Promise<void> {
    const query = { path, recursive: recursive === true ? 1 : 0 };
    await this.#http.send({ method: 'DELETE', path: this.#files, query, signal });
  }

  /** Makes a directory and those above it; one that is there is kept. */
  async createDirectory(
    path: string,
    { mode, signal }: FileCallOptions & { readonly mode?: number | undefined } = {},
  ): Promise<void> {
    const octal = toOctal(mode);
    const json = { path, ...(octal === undefined ? {} : { mode: octal }) };
    const route = SERVER_ROUTES.host(this.#sandboxId, HOST_ROUTES.directories);
    await this.#http.send({ method: 'POST', path: route, json, signal });
  }

  #toReattach(signal: AbortSignal | undefined): ReattachOptions & { http: Http; sandboxId: string } {
    const { http, clock, random, reattachBudgetMs } = this.#context;
    return { http, clock, random, budgetMs: reattachBudgetMs, sandboxId: this.#sandboxId, signal };
  }

  get #archive(): string {
    return SERVER_ROUTES.host(this.#sandboxId, HOST_ROUTES.archive);
  }

  get #files(): string {
    return SERVER_ROUTES.host(this.#sandboxId, HOST_ROUTES.files);
  }
}

function toOctal(mode: number | undefined): string | undefined {
  return mode?.toString(8).padStart(3, '0');
}

function toQuery(path: string, { mode, modifiedAt, parents }: WriteFileOptions) {
  return {
    path,
    mode: toOctal(mode),
    modified_at: modifiedAt?.toISOString(),
    parents: parents === true ? 1 : 0,
  };
}
