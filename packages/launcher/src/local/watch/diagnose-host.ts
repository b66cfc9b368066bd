/** Why the host of a local sandbox ended, out of its exit and its log. */
import { EXIT, SIGNALS, SIGNAL_NAMES } from '@omnigent/protocol';
import type { Diagnosis, ErrorCode, SignalName } from '@omnigent/protocol';
import { buildDiagnosis } from '../../port/diagnosis.ts';

/** How the host's process ended; both are null when nobody who could tell was there. */
export interface HostEnd {
  readonly providerId: string;
  readonly code: number | null;
  readonly signal: string | null;
  /** The last lines of its log. */
  readonly log: string;
}

/** Builds the diagnosis; pure. */
export function diagnoseHostEnd(end: HostEnd): Diagnosis {
  const { providerId, log } = end;
  const signal = toSignal(end);
  const code = signal === null ? end.code : null;
  const lastLine = log.split('\n').at(-1) ?? '';
  const isWrapperFault = signal === null && end.code !== 0 && lastLine.startsWith('bwrap: ');
  const errorCode: ErrorCode = isWrapperFault ? 'isolation_unavailable' : 'host_exited';
  return buildDiagnosis({
    code: errorCode,
    message: `the host of ${providerId} ${describeEnd(code, signal)}`,
    stage: 'connecting',
    provider_id: providerId,
    containers: [
      {
        name: 'host',
        reason: signal ?? (code === 0 ? 'Completed' : 'Error'),
        message: null,
        exit_code: code,
        signal: signal === null ? null : SIGNALS[signal],
        memory_limit: null,
      },
    ],
    log: log === '' ? null : { container: 'host', text: log },
    notes:
      signal === 'SIGKILL'
        ? ['SIGKILL often means that the machine ran out of memory: see its kernel log']
        : [],
  });
}

/** bubblewrap ends with 128 + n when a signal killed what it runs. */
function toSignal({ code, signal }: HostEnd): SignalName | null {
  const number = code === null ? null : code - EXIT.signalBase;
  return SIGNAL_NAMES.find((name) => name === signal || SIGNALS[name] === number) ?? null;
}

function describeEnd(code: number | null, signal: string | null): string {
  if (signal !== null) return `was killed by ${signal}`;
  if (code === EXIT.hostRefused) return `was refused by the server and ended with exit code ${code}`;
  return code === null ? 'ended' : `ended with exit code ${code}`;
}
