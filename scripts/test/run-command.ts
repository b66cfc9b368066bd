/** Starts one command of the toolchain and waits for its end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** How a command ended, and after how long. */
export interface Outcome {
  readonly ok: boolean;
  readonly seconds: number;
}

/** Runs a command with this terminal; its output is shown as it comes. */
export async function runCommand(argv: readonly string[], options: { cwd: string }): Promise<Outcome> {
  const started = performance.now();
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { cwd: options.cwd, stdio: 'inherit' });
  const [exitCode] = await once(child, 'close');
  return { ok: exitCode === 0, seconds: (performance.now() - started) / 1000 };
}
