/** How characters look: colours and attributes, kept as the SGR parameters that bring them about. Immutable. */

/** One place of a screen; immutable. */
export interface Cell {
  /** A character with its marks; empty for the right half of a wide one. */
  readonly text: string;
  readonly pen: Pen;
  /** Columns it takes; 0 for the right half of a wide one. */
  readonly width: 0 | 1 | 2;
}

/** Attributes by the parameter that sets them; 1 and 2 go off together, and so do 5 and 6. */
const SET = new Set(['1', '2', '3', '5', '6', '7', '8', '9', '53']);
const UNSET: Readonly<Record<string, readonly string[]>> = {
  22: ['1', '2'],
  23: ['3'],
  25: ['5', '6'],
  27: ['7'],
  28: ['8'],
  29: ['9'],
  55: ['53'],
};

interface PenState {
  readonly attributes: readonly string[];
  readonly underline: string;
  readonly foreground: string;
  readonly background: string;
}

const EMPTY: PenState = { attributes: [], underline: '', foreground: '', background: '' };

export class Pen {
  static readonly plain = new Pen(EMPTY);
  readonly #state: PenState;
  /** SGR parameters that make a plain pen this one; empty for the plain one itself. */
  readonly sgr: string;
  /** Cells of characters in this pen by their code, filled by need. */
  readonly cells: (Cell | undefined)[] = [];
  /** What erased places look like: they keep the background. */
  readonly erased: Pen;

  private constructor(state: PenState) {
    this.#state = state;
    const { attributes, underline, foreground, background } = state;
    this.sgr = [...attributes, underline, foreground, background].filter((part) => part !== '').join(';');
    if (this.sgr === background) this.erased = this;
    else this.erased = background === '' ? Pen.plain : new Pen({ ...EMPTY, background });
  }

  /** The pen after an SGR sequence. */
  select(parameters: readonly string[]): Pen {
    let state = this.#state;
    for (let at = 0; at < parameters.length; ) {
      const { next, used } = selectOne(state, parameters.slice(at));
      state = next;
      at += used;
    }
    return state === this.#state ? this : new Pen(state);
  }
}

interface Selected {
  readonly next: PenState;
  /** How many parameters it took. */
  readonly used: number;
}

function selectOne(state: PenState, [first = '', ...rest]: readonly string[]): Selected {
  const [code = '', ...sub] = first.split(':');
  const number = Number(code === '' ? 0 : code);
  const change = (part: Partial<PenState>, used = 1): Selected => ({ next: { ...state, ...part }, used });
  if (number === 0) return change(EMPTY);
  if (SET.has(code)) return change({ attributes: [...new Set([...state.attributes, code])].toSorted() });
  const unset = UNSET[code];
  if (unset !== undefined)
    return change({ attributes: state.attributes.filter((one) => !unset.includes(one)) });
  if (number === 4) return change({ underline: sub[0] === '0' ? '' : first });
  if (number === 21) return change({ underline: '4:2' });
  if (number === 24) return change({ underline: '' });
  if (number === 38 || number === 48) return selectExtended(state, first, rest);
  if ((number >= 30 && number <= 37) || (number >= 90 && number <= 97)) return change({ foreground: code });
  if ((number >= 40 && number <= 47) || (number >= 100 && number <= 107)) return change({ background: code });
  if (number === 39) return change({ foreground: '' });
  if (number === 49) return change({ background: '' });
  return { next: state, used: 1 };
}

/** One of 256 colours (`38;5;n`) or of all (`38;2;r;g;b`), also in the form with colons. */
function selectExtended(state: PenState, first: string, rest: readonly string[]): Selected {
  const isForeground = first.startsWith('38');
  const length = rest[0] === '5' ? 2 : rest[0] === '2' ? 4 : 0;
  const hasColons = first.includes(':');
  if (!hasColons && (length === 0 || rest.length < length)) return { next: state, used: 1 + rest.length };
  const colour = hasColons ? first : [first, ...rest.slice(0, length)].join(';');
  const part = isForeground ? { foreground: colour } : { background: colour };
  return { next: { ...state, ...part }, used: hasColons ? 1 : 1 + length };
}
