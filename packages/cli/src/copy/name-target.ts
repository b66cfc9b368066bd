/** Where something goes, as `cp -r` and scp name it. Pure. */
import { posix } from 'node:path';

/** What is at the place that the target names. */
export type TargetKind = 'missing' | 'file' | 'directory';

export interface Naming {
  /** The source as it was written. */
  readonly source: string;
  /** Whether several sources go there, or the target was written with a slash at its end. */
  readonly mustBeDirectory: boolean;
  readonly target: string;
  readonly targetKind: TargetKind;
}

/** Whether a source stands for what is in a directory, not for the directory: `.`, `/`, `DIR/.`. */
export function isContents(source: string): boolean {
  return /(^|\/)\.{0,2}$/.test(source.replace(/(?<=[^/])\/+$/, ''));
}

/** The path that the copy gets. */
export function nameTarget({ source, target, targetKind, mustBeDirectory }: Naming): string {
  const isInside = targetKind === 'directory' || mustBeDirectory;
  return isInside && !isContents(source) ? posix.join(target, posix.basename(source)) : target;
}

/** Whether a source that is a link stands for what it leads to: asked for by `-L`, by a slash at its end, or as contents. */
export function isFollowed(source: string, followsLinks: boolean): boolean {
  return followsLinks || source.endsWith('/') || isContents(source);
}
