/**
 * Splits what a program writes to a terminal into text and control sequences, however it is cut into chunks: the states of
 * DEC's VT500 parser, with UTF-8 for text.
 */

/** What the parts of a terminal's input mean to someone. */
export interface SequenceListener {
  /** Text of printable characters. */
  print(text: string): void;
  /** The same for bytes of printable ASCII, `from` up to but not including `to`. */
  printAscii(bytes: Uint8Array, from: number, to: number): void;
  /** A C0 control character, by its code. */
  control(code: number): void;
  /** `ESC`, intermediates and a final character. */
  escape(intermediates: string, final: string): void;
  /** `CSI`: private marker and intermediates as `mark`, parameters as they were written, a final character. */
  sequence(mark: string, parameters: readonly string[], final: string): void;
  /** An operating system command, such as a window's title. */
  command(text: string): void;
}

const ESC = 0x1b;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const DEL = 0x7f;
/** A longer sequence than this is not kept; what comes of it is passed over. */
const MAX_SEQUENCE_BYTES = 4096;
const MAX_PARAMETERS = 32;

type State = 'ground' | 'escape' | 'csi' | 'osc' | 'string';

export class SequenceParser {
  readonly #listener: SequenceListener;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #state: State = 'ground';
  /** Bytes of the unfinished sequence after its introducer. */
  #bytes: number[] = [];
  #isTooLong = false;
  /** The last byte of a string was ESC: a backslash ends it. */
  #isEnding = false;
  #partial: Uint8Array = new Uint8Array();

  constructor(listener: SequenceListener) {
    this.#listener = listener;
  }

  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === 'ground') at = this.#ground(chunk, at);
      else {
        this.#step(chunk[at] ?? 0);
        at += 1;
      }
    }
  }

  /** The bytes of what is unfinished: a terminal that gets them can go on with the next chunk. */
  get unfinished(): Uint8Array {
    const introducers: Readonly<Record<State, readonly number[]>> = {
      ground: [...this.#partial],
      escape: [ESC],
      csi: [ESC, 0x5b],
      osc: [ESC, 0x5d],
      string: [ESC, 0x5e],
    };
    // Of a sequence too long to keep, the rest is swallowed as a message that no terminal shows.
    const introducer = this.#isTooLong ? introducers.string : introducers[this.#state];
    const body = this.#isTooLong ? [] : this.#bytes;
    return Uint8Array.from([...introducer, ...body, ...(this.#isEnding ? [ESC] : [])]);
  }

  /** Prints up to the next control character. Returns where to go on. */
  #ground(chunk: Uint8Array, from: number): number {
    let end = from;
    while (end < chunk.length && isAscii(chunk[end])) end += 1;
    if (end > from && this.#partial.length === 0) this.#listener.printAscii(chunk, from, end);
    else end = this.#groundText(chunk, from);
    if (end === chunk.length || (chunk[end] ?? 0) >= 0x80) return end;
    const code = chunk[end] ?? 0;
    if (code === ESC) this.#begin('escape');
    else if (code !== DEL) this.#listener.control(code);
    return end + 1;
  }

  /** Text with characters beyond ASCII, or the rest of one. */
  #groundText(chunk: Uint8Array, from: number): number {
    let end = from;
    while (end < chunk.length && (chunk[end] ?? 0) >= 0x20 && chunk[end] !== DEL) end += 1;
    if (end > from || end < chunk.length) this.#print(chunk.subarray(from, end), end < chunk.length);
    return end;
  }

  #print(bytes: Uint8Array, isWhole: boolean): void {
    if (bytes.length === 0 && this.#partial.length === 0) return;
    const text = this.#decoder.decode(bytes, { stream: !isWhole });
    this.#partial = isWhole ? new Uint8Array() : findPartial(this.#partial, bytes);
    if (text !== '') this.#listener.print(text);
  }

  #begin(state: State): void {
    this.#state = state;
    this.#bytes = [];
    this.#isTooLong = false;
    this.#isEnding = false;
  }

  #step(code: number): void {
    if (code === CAN || code === SUB) return this.#begin('ground');
    if (this.#state === 'osc' || this.#state === 'string') return this.#stepString(code);
    if (code === ESC) return this.#begin('escape');
    // Control characters inside a sequence act at once.
    if (code < 0x20) return this.#listener.control(code);
    if (code === DEL) return;
    if (this.#state === 'escape') this.#stepEscape(code);
    else this.#stepCsi(code);
  }

  #stepEscape(code: number): void {
    if (this.#bytes.length === 0) {
      if (code === 0x5b) return this.#begin('csi');
      if (code === 0x5d) return this.#begin('osc');
      // DCS, SOS, PM and APC carry nothing that stays on a screen.
      if (code === 0x50 || code === 0x58 || code === 0x5e || code === 0x5f) return this.#begin('string');
    }
    if (code < 0x30) return this.#keep(code);
    const intermediates = String.fromCharCode(...this.#bytes);
    this.#begin('ground');
    this.#listener.escape(intermediates, String.fromCharCode(code));
  }

  #stepCsi(code: number): void {
    if (code < 0x40) return this.#keep(code);
    const text = String.fromCharCode(...this.#bytes);
    const isTooLong = this.#isTooLong;
    this.#begin('ground');
    const [, prefix = '', numbers = '', suffix = ''] = /^([<=>?]?)([\d;:]*)([ -/]*)$/.exec(text) ?? [];
    if (isTooLong || prefix + numbers + suffix !== text || code > 0x7e) return;
    this.#listener.sequence(
      prefix + suffix,
      numbers.split(';').slice(0, MAX_PARAMETERS),
      String.fromCharCode(code),
    );
  }

  #stepString(code: number): void {
    if (code === BEL && this.#state === 'osc') return this.#endString();
    if (this.#isEnding) {
      if (code === 0x5c) return this.#endString();
      this.#begin('escape');
      return this.#step(code);
    }
    if (code === ESC) this.#isEnding = true;
    else this.#keep(code);
  }

  #endString(): void {
    const isCommand = this.#state === 'osc' && !this.#isTooLong;
    const text = isCommand ? new TextDecoder().decode(Uint8Array.from(this.#bytes)) : '';
    this.#begin('ground');
    if (isCommand) this.#listener.command(text);
  }

  #keep(code: number): void {
    if (this.#bytes.length < MAX_SEQUENCE_BYTES) this.#bytes.push(code);
    else this.#isTooLong = true;
  }
}

/** Printable, and a character by itself. */
function isAscii(code: number | undefined): boolean {
  return code !== undefined && code >= 0x20 && code < DEL;
}

/** The beginning of a character at the end of a chunk. */
function findPartial(before: Uint8Array, bytes: Uint8Array): Uint8Array {
  const tail = Uint8Array.from([...before, ...bytes.subarray(-3)]).subarray(-4);
  for (let back = 1; back <= Math.min(3, tail.length); back += 1) {
    const code = tail[tail.length - back] ?? 0;
    if (code >= 0xc0) {
      const length = code >= 0xf0 ? 4 : code >= 0xe0 ? 3 : 2;
      return length > back ? tail.slice(tail.length - back) : new Uint8Array();
    }
    if (code < 0x80) break;
  }
  return new Uint8Array();
}
