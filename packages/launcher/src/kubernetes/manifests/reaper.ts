/**
 * PID 1 of the host container: reaps every child, forwards SIGTERM and SIGINT, exits with the host's status.
 * tini where the image has it; else a short reaper for python3, which the published Omnigent host image has.
 */
import { quoteShell } from './shell.ts';

/** Standard library only; argv is the command. */
export const PYTHON_REAPER = `import os,signal,sys
child=os.fork()
if child==0:
    os.execvp(sys.argv[1],sys.argv[1:])
for number in (signal.SIGTERM,signal.SIGINT):
    signal.signal(number,lambda number,frame:os.kill(child,number))
while True:
    try:
        pid,status=os.wait()
    except InterruptedError:
        continue
    if pid==child:
        sys.exit(128+os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))`;

/** The end of a script: replaces the shell by the reaper that runs the command. */
export function renderReaper(command: readonly string[]): string {
  const words = command.map(quoteShell).join(' ');
  return [
    `if command -v tini >/dev/null 2>&1; then exec tini -s -- ${words}; fi`,
    `exec python3 -c ${quoteShell(PYTHON_REAPER)} ${words}`,
  ].join('\n');
}
