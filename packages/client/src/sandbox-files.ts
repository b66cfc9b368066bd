/** Files of a sandbox. Paths are absolute or start at the workspace. */
import { HOST_ROUTES, SERVER_ROUTES, directoryListSchema, fileStatSchema } from '@omnigent/protocol';
import type { DirectoryList, FileStat } from '@omnigent/protocol';
import type { FetchResponse, Http } from './http.ts';
import { readBody } from './read-body.ts';

export interface FileCallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface WriteFileOptions extends FileCallOptions {
  /** Permission bits, such as `0o755`; by default those of the file that is there. */
  readonly mode?: number | undefined;
  /** Makes missing directories. */
  readonly parents?: boolean | undefined;
}

export class SandboxFiles {
  readonly #http: Http;
  readonly #sandboxId: string;

  constructor(http: Http, sandboxId: string) {
    this.#http = http;
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

  /** The bytes of a file as they come. @throws SandboxError `server_unreachable` when the connection breaks. */
  async *read(path: string, { signal }: FileCallOptions = {}): AsyncGenerator<Uint8Array> {
    const response = await this.#http.send({ method: 'GET', path: this.#files, query: { path }, signal });
    yield* this.#readWhole(response, signal);
  }

  async *#readWhole(response: FetchResponse, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    try {
      yield* readBody(response);
    } catch (error) {
      throw this.#http.toConnectionError(error, signal);
    }
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
    { mode, parents, signal }: WriteFileOptions = {},
  ): Promise<void> {
    const query = { path, mode: toOctal(mode), parents: parents === true ? 1 : 0 };
    const body = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    await this.#http.send({ method: 'PUT', path: this.#files, query, body, signal });
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

  get #files(): string {
    return SERVER_ROUTES.host(this.#sandboxId, HOST_ROUTES.files);
  }
}

function toOctal(mode: number | undefined): string | undefined {
  return mode?.toString(8).padStart(3, '0');
}
