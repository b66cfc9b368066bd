/** The pty binding, loaded when the first terminal is asked for: an add-on costs start-up time and memory. */
import { createRequire } from 'node:module';
import { SandboxError, toErrorMessage } from '@omnigent/protocol';

/** The part of the binding's native interface that is used; its public one loses the end of short programs' output. */
export interface NativePty {
  readonly fork: (...parameters: ForkParameters) => NativeTerminal;
  readonly resize: (
    ...parameters: [fd: number, columns: number, rows: number, width: number, height: number]
  ) => void;
}

type ForkParameters = [
  file: string,
  args: readonly string[],
  env: readonly string[],
  cwd: string,
  columns: number,
  rows: number,
  uid: number,
  gid: number,
  isUtf8: boolean,
  helper: string,
  onExit: (code: number, signal: number) => void,
];

export interface NativeTerminal {
  readonly fd: number;
  readonly pid: number;
  /** Path of the terminal's device. */
  readonly pty: string;
}

let loaded: NativePty | undefined;

/** Loads the binding once. @throws SandboxError `host_unsupported` where there is none for this system. */
export function loadNativePty(): NativePty {
  loaded ??= parseBinding(requireBinding());
  return loaded;
}

/** Beside the bundle, as sandboxes have it; else the package, as in a development tree. */
const PLACES = [`./pty-${process.platform}-${process.arch}.node`, '@lydell/node-pty'];

/** Whether the binding is installed; does not load it. */
export function hasNativePty(): boolean {
  return findBinding() !== undefined;
}

function findBinding(): string | undefined {
  const require = createRequire(import.meta.url);
  return PLACES.flatMap((place) => {
    try {
      return [require.resolve(place)];
    } catch {
      return [];
    }
  })[0];
}

function requireBinding(): unknown {
  try {
    return createRequire(import.meta.url)(findBinding() ?? '@lydell/node-pty');
  } catch (cause) {
    throw toUnsupported(toErrorMessage(cause), cause);
  }
}

function parseBinding(binding: unknown): NativePty {
  // The package hands its add-on on under a name; the add-on by itself is it.
  const native = isRecord(binding) && isRecord(binding['native']) ? binding['native'] : binding;
  if (isRecord(native) && isNativePty(native)) return native;
  throw toUnsupported('the binding has no fork and resize');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isNativePty(value: object): value is NativePty {
  return (
    'fork' in value &&
    typeof value.fork === 'function' &&
    'resize' in value &&
    typeof value.resize === 'function'
  );
}

function toUnsupported(reason: string, cause?: unknown): SandboxError {
  const [line = reason] = reason.split('\n');
  return new SandboxError('host_unsupported', `this host cannot open terminals: ${line}`, { cause });
}
