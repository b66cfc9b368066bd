/** The keys that leave a terminal session, written as docker writes them: `ctrl-p,ctrl-q`. Pure. */
import { SandboxError } from '@omnigent/protocol';

export const DEFAULT_DETACH_KEYS = 'ctrl-p,ctrl-q';

const CONTROL: Readonly<Record<string, number>> = { '@': 0, '[': 27, '\\': 28, ']': 29, '^': 30, _: 31 };

/** Bytes of the keys; none for an empty text, which switches detaching by keys off. */
export function parseDetachKeys(text: string): Uint8Array {
  if (text === '') return new Uint8Array();
  return Uint8Array.from(text.split(',').map((key) => parseKey(key.trim(), text)));
}

function parseKey(key: string, text: string): number {
  if (key.length === 1 && key >= '!' && key <= '~') return key.charCodeAt(0);
  const name = /^ctrl-(.)$/i.exec(key)?.[1]?.toLowerCase();
  const code = name === undefined ? undefined : /[a-z]/.test(name) ? name.charCodeAt(0) - 96 : CONTROL[name];
  if (code !== undefined) return code;
  throw new SandboxError(
    'usage',
    `--detach-keys: expected keys such as ${DEFAULT_DETACH_KEYS} (a letter, or ctrl- and one of a-z @ [ \\ ] ^ _), found ${JSON.stringify(text)}`,
  );
}

/** What of typed bytes goes to the program. */
export interface Typed {
  readonly bytes: Uint8Array;
  readonly isDetached: boolean;
}

/** Looks for the keys in what is typed; the first ones wait for the next until they are told apart. */
export class DetachMatcher {
  readonly #keys: Uint8Array;
  #matched = 0;

  constructor(keys: Uint8Array) {
    this.#keys = keys;
  }

  push(bytes: Uint8Array): Typed {
    const passed: number[] = [];
    if (this.#keys.length === 0) return { bytes, isDetached: false };
    for (const byte of bytes) {
      if (byte !== this.#keys[this.#matched]) {
        passed.push(...this.#keys.subarray(0, this.#matched));
        this.#matched = 0;
      }
      if (byte === this.#keys[this.#matched]) this.#matched += 1;
      else passed.push(byte);
      if (this.#matched === this.#keys.length) return { bytes: Uint8Array.from(passed), isDetached: true };
    }
    return { bytes: Uint8Array.from(passed), isDetached: false };
  }
}
