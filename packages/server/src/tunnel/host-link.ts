/** What the rest of the server sees of a host that is connected, whatever it speaks. */
import type { ClientHttp2Stream, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';
import type { Readable } from 'node:stream';
import type * as z from 'zod';

export interface HostRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly signal?: AbortSignal;
  /** Whether a body will be written to the stream. */
  readonly hasBody?: boolean;
}

export interface HostResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body; ends with an error when the answer is not whole. Destroying it cancels the call. */
  readonly body: Readable;
}

export interface HostLink {
  /** Of this connection: no other of any process has it. */
  readonly id: string;
  readonly hostId: string;
  readonly bootId: string;
  readonly version: string | null;
  readonly isOpen: boolean;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  /**
   * Sends a request and resolves with the head of its answer.
   *
   * @throws SandboxError `host_offline` when the connection ends before the answer begins, `canceled`, `host_unsupported`.
   */
  open(request: HostRequest): Promise<HostResponse>;
  /** Starts a request; the caller writes its body. */
  openStream(request: HostRequest): ClientHttp2Stream;
  /** Resolves with the head of a stream's answer. */
  respond(stream: ClientHttp2Stream, signal?: AbortSignal): Promise<HostResponse>;
  /** A JSON call whose answer is checked by a schema; everything a host says is untrusted. */
  call<Schema extends z.ZodType>(
    request: Omit<HostRequest, 'hasBody'> & { readonly body?: unknown },
    schema: Schema,
  ): Promise<z.output<Schema>>;
  close(code: number): void;
}
