/** Times whole programs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** What a program is started with. */
export interface ProgramOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** Milliseconds from the start of a program to its end; throws unless it exits with 0. */
export async function timeProgram(argv: readonly string[], options: ProgramOptions = {}): Promise<number> {
  const [program = '', ...args] = argv;
  const started = performance.now();
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [exitCode] = await once(child, 'close');
  const duration = performance.now() - started;
  if (exitCode !== 0) throw new Error(`${argv.join(' ')} was expected to exit with 0; it wrote ${errors}`);
  return duration;
}

/** `node -e 0`: what starting Node.js costs. */
export const BARE_NODE: readonly string[] = [process.execPath, '-e', '0'];
