/** Exit codes of the command and of the host. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  /** The host was refused for good by the server. */
  hostRefused: 77,
  /** The sandbox could not be launched. */
  launchFailed: 125,
  notExecutable: 126,
  notFound: 127,
  signalBase: 128,
} as const;

/** Signal numbers as Linux has them (signal(7)), for exit codes of 128 + n. */
export const SIGNALS = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGCHLD: 17,
  SIGCONT: 18,
  SIGSTOP: 19,
  SIGTSTP: 20,
  SIGTTIN: 21,
  SIGTTOU: 22,
  SIGURG: 23,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGVTALRM: 26,
  SIGPROF: 27,
  SIGWINCH: 28,
  SIGIO: 29,
  SIGPWR: 30,
  SIGSYS: 31,
} as const;

export type SignalName = keyof typeof SIGNALS;

/** The names of {@link SIGNALS}. */
export const SIGNAL_NAMES = Object.keys(SIGNALS) as [SignalName, ...SignalName[]];
