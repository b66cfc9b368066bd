/** `SANDBOX:PATH`, a path of this machine, or `-`. Pure. */
import { SandboxError } from '@omnigent/protocol';

/** One end of a copy. */
export type CopyPlace =
  | { readonly kind: 'remote'; readonly sandbox: string; readonly path: string }
  | { readonly kind: 'local'; readonly path: string }
  | { readonly kind: 'stream' };

export type RemotePlace = Extract<CopyPlace, { kind: 'remote' }>;

/** Copies that make sense: into a sandbox or out of one. */
export type CopyArguments =
  | {
      readonly direction: 'in';
      readonly sources: readonly Exclude<CopyPlace, RemotePlace>[];
      readonly target: RemotePlace;
    }
  | {
      readonly direction: 'out';
      readonly sources: readonly RemotePlace[];
      readonly target: Exclude<CopyPlace, RemotePlace>;
    };

/** A colon before any slash makes a place remote, as in scp; `./a:b` is a path of this machine. */
export function parseCopyPlace(text: string): CopyPlace {
  if (text === '-') return { kind: 'stream' };
  const [, sandbox, path = ''] = /^([^/:.][^/:]*):([^]*)$/.exec(text) ?? [];
  if (text === '') throw new SandboxError('usage', 'expected SANDBOX:PATH or a path, found nothing');
  return sandbox === undefined
    ? { kind: 'local', path: text }
    : { kind: 'remote', sandbox, path: path || '.' };
}

/** @throws SandboxError `usage`. */
export function parseCopyArguments(texts: readonly string[]): CopyArguments {
  const places = texts.map(parseCopyPlace);
  const [target, ...sources] = places.toReversed();
  if (target === undefined || sources.length === 0)
    throw new SandboxError(
      'usage',
      `expected at least a source and a target, found ${texts.length} arguments`,
    );
  sources.reverse();
  if (
    places.filter(({ kind }) => kind === 'stream').length > 1 ||
    (sources.length > 1 && places.some(({ kind }) => kind === 'stream'))
  )
    throw new SandboxError('usage', 'expected - as the only source or as the target of one source');
  if (target.kind === 'remote') return { direction: 'in', sources: sources.map(refuseRemote), target };
  const remote = sources.filter((place) => place.kind === 'remote');
  if (remote.length === sources.length) return { direction: 'out', sources: remote, target };
  throw new SandboxError(
    'usage',
    'expected SANDBOX:PATH on one side, found paths of this machine on both; write SANDBOX:PATH for what is in a sandbox',
  );
}

function refuseRemote(place: CopyPlace): Exclude<CopyPlace, RemotePlace> {
  if (place.kind !== 'remote') return place;
  throw new SandboxError(
    'usage',
    'expected one side on this machine, found sandboxes on both; pipe it: omnigent cp A:DIR - | omnigent cp - B:DIR/',
  );
}
