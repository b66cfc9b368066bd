/**
 * Passes messages between a viewer's WebSocket and its stream at the host, each way at the receiver's pace: a viewer that does
 * not read holds the little that is under way to it, and nothing more is taken from the host.
 */
import { constants } from 'node:http2';
import type { Readable } from 'node:stream';
import {
  AttachFormatError,
  AttachMessageReader,
  CLOSE,
  PUBLIC_CLOSE,
  encodeAttachMessage,
} from '@omnigent/protocol';
import type { AttachMessage } from '@omnigent/protocol';
import type { WebSocket } from 'ws';
import type { HostStream } from '../forward/public-call.ts';
import { closeSocket, endOnError, keepAlive, toBytes } from '../forward/public-socket.ts';

export interface BridgeOptions {
  /** The viewer did something. */
  readonly onUse: () => void;
}

/** More than this unsent, and nothing is taken from the host until it is less. */
const MAX_BUFFERED_BYTES = 256 * 1024;
const CLOSE_GRACE_MS = 2_000;

/** Connects the two; whichever ends, ends the other. */
export function bridgeMessages(socket: WebSocket, stream: HostStream, options: BridgeOptions): void {
  endOnError(socket);
  socket.on('close', () => {
    stream.request.end();
    // The host hears the end of the request first; then nothing is wanted any more.
    setTimeout(stream.close, CLOSE_GRACE_MS).unref();
    options.onUse();
  });
  void keepAlive(socket);
  sendToHost(socket, stream, options);
  sendToViewer(socket, stream).then(
    () => closeSocket(socket, PUBLIC_CLOSE.normal),
    (error: unknown) => closeSocket(socket, toCloseCode(error, stream)),
  );
}

function sendToHost(socket: WebSocket, { request }: HostStream, { onUse }: BridgeOptions): void {
  request.on('drain', () => socket.resume());
  socket.on('message', (data, isBinary) => {
    if (isBinary) onUse();
    if (request.destroyed || request.writableEnded) return;
    if (!request.write(encodeAttachMessage({ isBinary, data: toBytes(data) }))) socket.pause();
  });
}

/** Resolves when everything that the host said has been handed to the viewer. */
function sendToViewer(socket: WebSocket, { body }: HostStream): Promise<void> {
  const reader = new AttachMessageReader();
  return new Promise((resolve, reject) => {
    body.once('end', resolve);
    body.once('error', reject);
    body.once('close', () => reject(new Error('the stream of the host broke')));
    // Events instead of a loop: the echo of a key is not to wait for another turn.
    body.on('data', (chunk: Buffer) => {
      try {
        for (const { isBinary, data } of reader.push(chunk)) send(socket, body, { isBinary, data });
      } catch (error) {
        body.destroy();
        reject(error);
      }
    });
  });
}

/** Sends a message; takes nothing more from the host until the viewer has room again. */
function send(socket: WebSocket, body: Readable, { isBinary, data }: AttachMessage): void {
  const resume = () => {
    if (socket.bufferedAmount < MAX_BUFFERED_BYTES) body.resume();
  };
  socket.send(data, { binary: isBinary }, resume);
  if (socket.bufferedAmount >= MAX_BUFFERED_BYTES) body.pause();
}

function toCloseCode(error: unknown, { request, isConnected }: HostStream): number {
  if (error instanceof AttachFormatError) return PUBLIC_CLOSE.hostOffline;
  // What the host does with a viewer that does not keep to the protocol; so looks a tunnel that broke, too.
  return request.rstCode === constants.NGHTTP2_INTERNAL_ERROR && isConnected()
    ? CLOSE.protocolError
    : PUBLIC_CLOSE.hostOffline;
}
