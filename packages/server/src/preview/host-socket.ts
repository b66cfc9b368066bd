/** A connection to a port of a sandbox in the form that Node's HTTP client takes: one duplex out of the two ways of a host's stream. */
import { constants } from 'node:http2';
import { Duplex } from 'node:stream';
import { SandboxError } from '@omnigent/protocol';
import type { HostStream } from '../forward/public-call.ts';

export class HostSocket extends Duplex {
  readonly #stream: HostStream;
  #hasProgramEnded = false;

  constructor(stream: HostStream) {
    super({ allowHalfOpen: true });
    this.#stream = stream;
    const { request, body } = stream;
    body.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) body.pause();
    });
    body.once('end', () => {
      // A reset ends the stream as well.
      if (request.rstCode !== constants.NGHTTP2_NO_ERROR) return this.#break();
      this.#hasProgramEnded = true;
      this.push(null);
    });
    body.once('error', () => this.#break());
    request.once('close', () => {
      // What the program has said to its end can still be read.
      if (!this.#hasProgramEnded) this.#break();
    });
  }

  override _read(): void {
    this.#stream.body.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#stream.request.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#stream.request.end(() => done());
  }

  /** What was not said to its end breaks the program's connection too. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { request, close } = this.#stream;
    if (this.readableEnded && this.writableFinished) close();
    else request.destroy(error ?? new Error('the caller has gone'));
    done(error);
  }

  #break(): void {
    const isConnected = this.#stream.isConnected();
    this.destroy(
      isConnected
        ? new SandboxError('connection_reset', 'the program broke its connection off')
        : new SandboxError('host_offline', 'the connection to the host ended'),
    );
  }
}
