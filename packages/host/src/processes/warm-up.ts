/** The first program of a sandbox is waited for, and half of its start is the first use of code. */
import { spawn } from 'node:child_process';
import { startProcessSchema } from '@omnigent/protocol';

/** Loads and uses once what the start of a program needs; for a moment in which nobody waits for the host. */
export function warmUp(): void {
  startProcessSchema.safeParse({ argv: [spawn.name], env: { NAME: 'value' } });
}
