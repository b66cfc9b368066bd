/** Which modes a program has switched on in the terminal, so that they can be switched off when it is left. Pure. */

/** Private modes that leave a terminal hard to use, and how they are by default. */
const DEFAULTS: ReadonlyMap<number, boolean> = new Map([
  [1, false],
  [7, true],
  [25, true],
  [9, false],
  [1000, false],
  [1002, false],
  [1003, false],
  [1004, false],
  [1005, false],
  [1006, false],
  [1015, false],
  [2004, false],
  [47, false],
  [1047, false],
  [1049, false],
]);
/** The alternate screen goes last: what it hid comes back as it was. */
const ALTERNATE: readonly number[] = [47, 1047, 1049];
const MODES = /\u001b\[\?([\d;]{1,64})([hl])/g;
const PARTIAL = /\u001b(?:\[(?:\?[\d;]{0,64})?)?$/;

export class ModeTracker {
  readonly #changed = new Map<number, boolean>();
  #rest = '';

  /** Whether the program shows the alternate screen. */
  get isAlternate(): boolean {
    return ALTERNATE.some((mode) => this.#changed.has(mode));
  }

  push(bytes: Uint8Array): void {
    const text = this.#rest + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    for (const [, parameters = '', final] of text.matchAll(MODES)) {
      for (const mode of parameters.split(';').map(Number)) this.#set(mode, final === 'h');
    }
    this.#rest = PARTIAL.exec(text)?.[0] ?? '';
  }

  /** Escape sequences that bring the terminal back to its defaults; empty when it is there. */
  renderReset(): string {
    if (this.#changed.size === 0) return '';
    const modes = [...this.#changed.keys()].toSorted(
      (a, b) => Number(ALTERNATE.includes(a)) - Number(ALTERNATE.includes(b)),
    );
    const resets = modes.map((mode) => `\u001b[?${mode}${DEFAULTS.get(mode) === true ? 'h' : 'l'}`);
    return `\u001b[0m${resets.join('')}`;
  }

  #set(mode: number, isOn: boolean): void {
    const usual = DEFAULTS.get(mode);
    if (usual === undefined) return;
    if (usual === isOn) this.#changed.delete(mode);
    else this.#changed.set(mode, isOn);
  }
}
