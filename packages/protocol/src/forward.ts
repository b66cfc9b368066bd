/**
 * The WebSocket of one TCP connection to a port in a sandbox (`omnigent.forward.v1`). Binary messages are its bytes, text messages are
 * {@link forwardControlSchema}. Each side sends at most {@link FORWARD_WINDOW_BYTES} that the other has not acknowledged, since
 * a WebSocket of a browser cannot be told to wait. Closed with 1000 when both sides have ended, with
 * {@link FORWARD_RESET} when the connection broke.
 */
import * as z from 'zod';

export const FORWARD_WINDOW_BYTES = 1024 * 1024;
/** Largest binary message either side accepts. */
export const MAX_FORWARD_MESSAGE_BYTES = 256 * 1024;
/** Close code of a connection that was reset. */
export const FORWARD_RESET = 4000;

export const forwardControlSchema = z.discriminatedUnion('type', [
  /** So many bytes of the other side have been dealt with, from the first one on. */
  z.strictObject({ type: z.literal('ack'), bytes: z.int().min(0) }),
  /** The side that sends this sends no more bytes; the other may go on. */
  z.strictObject({ type: z.literal('eof') }),
  /** Caller to server, answered by `pong`: keeps a proxy awake that counts data only. */
  z.strictObject({ type: z.literal('ping') }),
  z.strictObject({ type: z.literal('pong') }),
]);
export type ForwardControl = z.infer<typeof forwardControlSchema>;

/** Reads a text message; undefined when it is none of these. */
export function parseForwardControl(text: string): ForwardControl | undefined {
  try {
    return forwardControlSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** What one side may send, and what it has to acknowledge. */
export class ForwardWindow {
  #sent = 0;
  #acknowledged = 0;
  #received = 0;
  #handled = 0;
  #told = 0;

  /** Whether there is room for more. */
  get isOpen(): boolean {
    return this.#sent - this.#acknowledged < FORWARD_WINDOW_BYTES;
  }

  send(bytes: number): void {
    this.#sent += bytes;
  }

  /** Takes an acknowledgement. Returns false when it cannot be one. */
  acknowledged(bytes: number): boolean {
    if (bytes < this.#acknowledged || bytes > this.#sent) return false;
    this.#acknowledged = bytes;
    return true;
  }

  /** Takes note of what came. Returns false when the other side has not kept to its window. */
  receive(bytes: number): boolean {
    this.#received += bytes;
    return this.#received - this.#told <= FORWARD_WINDOW_BYTES + MAX_FORWARD_MESSAGE_BYTES;
  }

  /** So many more bytes have been dealt with. Returns what to acknowledge, when it is worth a message. */
  handle(bytes: number): ForwardControl | undefined {
    this.#handled += bytes;
    if (this.#handled - this.#told < FORWARD_WINDOW_BYTES / 4) return undefined;
    this.#told = this.#handled;
    return { type: 'ack', bytes: this.#handled };
  }
}
