/** Carries one TCP connection between a caller's WebSocket and the stream at the host; each way keeps to its window. */
import { constants } from 'node:http2';
import { CLOSE, FORWARD_RESET, ForwardWindow, PUBLIC_CLOSE, parseForwardControl } from '@omnigent/protocol';
import type { ForwardControl } from '@omnigent/protocol';
import type { RawData, WebSocket } from 'ws';
import type { HostStream } from '../forward/public-call.ts';
import { closeSocket, endOnError, keepAlive, toBytes } from '../forward/public-socket.ts';

/** Connects the two until both ways have ended or one of them broke. */
export function bridgePort(socket: WebSocket, stream: HostStream): void {
  new PortBridge(socket, stream).start();
}

class PortBridge {
  readonly #socket: WebSocket;
  readonly #stream: HostStream;
  readonly #window = new ForwardWindow();
  #hasCallerEnded = false;
  #hasProgramEnded = false;

  constructor(socket: WebSocket, stream: HostStream) {
    this.#socket = socket;
    this.#stream = stream;
  }

  start(): void {
    const { request, body } = this.#stream;
    const socket = this.#socket;
    endOnError(socket);
    socket.once('close', () => {
      // What was said to its end goes on to the program; anything else is a connection that broke.
      if (!this.#hasCallerEnded || !this.#hasProgramEnded) request.close(constants.NGHTTP2_CANCEL);
    });
    socket.on('message', (data, isBinary) => (isBinary ? this.#takeBytes(data) : this.#takeControl(data)));
    body.on('data', (chunk: Buffer) => this.#give(chunk));
    body.once('end', () => {
      // A reset ends the stream as well.
      if (request.rstCode !== constants.NGHTTP2_NO_ERROR) return this.#break();
      this.#hasProgramEnded = true;
      this.#send({ type: 'eof' });
      this.#closeWhenBothEnded();
    });
    body.once('error', () => this.#break());
    request.once('close', () => {
      if (request.rstCode !== constants.NGHTTP2_NO_ERROR) this.#break();
    });
    void keepAlive(socket);
  }

  #takeBytes(data: RawData): void {
    const bytes = toBytes(data);
    const { request } = this.#stream;
    if (this.#hasCallerEnded || !this.#window.receive(bytes.length)) return this.#close(CLOSE.protocolError);
    if (request.destroyed) return;
    request.write(bytes, () => {
      const control = this.#window.handle(bytes.length);
      if (control !== undefined) this.#send(control);
    });
  }

  #takeControl(data: RawData): void {
    const control = parseForwardControl(toBytes(data).toString('utf8'));
    if (control?.type === 'eof' && !this.#hasCallerEnded) {
      this.#hasCallerEnded = true;
      this.#stream.request.end();
      this.#closeWhenBothEnded();
    } else if (control?.type === 'ping') this.#send({ type: 'pong' });
    else if (control?.type === 'ack' && this.#window.acknowledged(control.bytes)) {
      if (this.#window.isOpen) this.#stream.body.resume();
    } else this.#close(CLOSE.protocolError);
  }

  #give(chunk: Buffer): void {
    this.#window.send(chunk.length);
    this.#socket.send(chunk);
    if (!this.#window.isOpen) this.#stream.body.pause();
  }

  #send(control: ForwardControl): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(control));
  }

  #closeWhenBothEnded(): void {
    if (this.#hasCallerEnded && this.#hasProgramEnded) this.#close(PUBLIC_CLOSE.normal);
  }

  #break(): void {
    if (!this.#hasProgramEnded) this.#close(FORWARD_RESET);
  }

  #close(code: number): void {
    closeSocket(this.#socket, code);
  }
}
