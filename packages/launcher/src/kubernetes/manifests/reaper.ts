/**
 * PID 1 of the host container: reaps every child, forwards SIGTERM and SIGINT, exits with the host's status.
 * tini where the image has it; else a short reaper for python3, which the published Omnigent host image has.
 */
import { quoteShell } from './shell.ts';

/**
 * Standard library only; argv is the command. It becomes a subreaper (prctl 36) as `tini -s` does, because with
 * `shareProcessNamespace` it is not PID 1. Signals are held back until there is a child to forward them to.
 */
export const PYTHON_REAPER = `import os,signal,sys
try:
    import ctypes
    ctypes.CDLL(None).prctl(36,1,0,0,0)
except Exception:
    pass
forwarded={signal.SIGTERM,signal.SIGINT}
signal.pthread_sigmask(signal.SIG_BLOCK,forwarded)
child=os.fork()
if child==0:
    signal.pthread_sigmask(signal.SIG_UNBLOCK,forwarded)
    try:
        os.execvp(sys.argv[1],sys.argv[1:])
    except OSError as error:
        sys.stderr.write("%s: %s\\n"%(sys.argv[1],error.strerror))
        os._exit(127)
def forward(number,frame):
    try:
        os.kill(child,number)
    except ProcessLookupError:
        pass
for number in forwarded:
    signal.signal(number,forward)
signal.pthread_sigmask(signal.SIG_UNBLOCK,forwarded)
while True:
    pid,status=os.wait()
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
