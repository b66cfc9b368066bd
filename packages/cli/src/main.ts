/** `omnigent`: parses, runs one command, ends with its status. */
import { CommanderError } from 'commander';
import { EXIT, systemClock } from '@omnigent/protocol';
import { endProcess } from './exit/end-process.ts';
import { toErrorStatus } from './exit/to-exit-status.ts';
import { renderError } from './output/render-error.ts';
import { createProgram, toUsageError } from './program.ts';

let status: number = EXIT.ok;

// A reader that went away is found out at the next write; without a listener it would be an uncaught error.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

const program = createProgram({
  environment: process.env,
  cwd: process.cwd(),
  clock: systemClock,
  writeOut: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  setStatus: (next) => (status = next),
});

try {
  await program.parseAsync(process.argv);
} catch (thrown) {
  const error = thrown instanceof CommanderError ? toUsageError(thrown) : thrown;
  if (error !== undefined) {
    process.stderr.write(renderError(error));
    status = toErrorStatus(error);
  }
}
await endProcess(status);
