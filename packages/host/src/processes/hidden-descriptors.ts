/**
 * Descriptors that no child may inherit although they lack close-on-exec: the terminals' ends that the pty binding opens.
 * A program that held one could read and write another program's terminal, and would keep it from hanging up.
 * Descriptors belong to the whole operating-system process, hence this one set.
 */
import { openSync } from 'node:fs';
import type { StdioOptions } from 'node:child_process';

type Stdio = Exclude<StdioOptions, string>;

const hidden = new Set<number>();
let nothing: number | undefined;

/** Keeps a descriptor from all children that are started with {@link buildStdio}. Returns the function that ends this. */
export function hideDescriptor(descriptor: number): () => void {
  hidden.add(descriptor);
  return () => void hidden.delete(descriptor);
}

/** The streams of a child, with nothing at the numbers that must not be inherited. */
export function buildStdio(streams: Stdio): Stdio {
  if (hidden.size === 0) return streams;
  nothing ??= openSync('/dev/null', 'r+');
  const stdio: Stdio = [...streams];
  for (const descriptor of hidden) {
    while (stdio.length < descriptor) stdio.push(null);
    stdio[descriptor] = nothing;
  }
  return stdio;
}
