/** Reads segment files one after the other and keeps the present one open: it stays readable when it is removed meanwhile. */
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { LogPlace } from './output-log.ts';

export class SegmentReader implements AsyncDisposable {
  #path: string | undefined;
  #file: FileHandle | undefined;

  /** Undefined when the segment went away before it was opened. */
  async read(place: Extract<LogPlace, { kind: 'file' }>, maxBytes: number): Promise<Uint8Array | undefined> {
    const file = await this.#open(place.path);
    if (file === undefined) return undefined;
    const length = Math.min(maxBytes, place.length);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, place.position);
    return buffer.subarray(0, bytesRead);
  }

  async #open(path: string): Promise<FileHandle | undefined> {
    if (this.#path === path) return this.#file;
    await this.#file?.close();
    this.#path = path;
    this.#file = await open(path, 'r').catch(() => undefined);
    return this.#file;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
  }
}
