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

/** Whether the binding is installed; does not load it. */
export function hasNativePty(): boolean {
  try {
    createRequire(import.meta.url).resolve('@lydell/node-pty');
    return true;
  } catch {
    return false;
  }
}

function requireBinding(): unknown {
  try {
    return createRequire(import.meta.url)('@lydell/node-pty');
  } catch (cause) {
    throw toUnsupported(toErrorMessage(cause), cause);
  }
}

function parseBinding(binding: unknown): NativePty {
  if (isRecord(binding) && isRecord(binding['native'])) {
    const { native } = binding;
    if (isNativePty(native)) return native;
  }
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
