/** Why the host of a local sandbox ended, out of its exit and its log. */
import { open } from 'node:fs/promises';
import type { Diagnosis } from '@omnigent/protocol';
import { buildDiagnosis } from '../port/diagnosis.ts';

const MAX_LINES = 20;
const MAX_CHARACTERS = 1_500;
const TAIL_BYTES = 16 * 1024;

/** The last lines of a log: at most 20 lines and 1,500 characters, without control characters and tokens. */
export async function readLogTail(path: string): Promise<string> {
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, start);
    return cleanTail(buffer.subarray(0, bytesRead).toString('utf8'));
  } catch {
    return '';
  }
}

/** Cuts and cleans a log's text. */
export function cleanTail(text: string): string {
  const lines = text
    // oxlint-disable-next-line no-control-regex -- control characters are what this removes
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
    .replace(/[A-Za-z0-9_-]{43}/g, '***')
    .trimEnd()
    .split('\n')
    .slice(-MAX_LINES);
  return lines.join('\n').slice(-MAX_CHARACTERS);
}

export interface HostEnd {
  readonly providerId: string;
  readonly code: number | null;
  readonly signal: string | null;
  readonly logPath: string;
}

export async function diagnoseHostEnd({ providerId, code, signal, logPath }: HostEnd): Promise<Diagnosis> {
  const log = await readLogTail(logPath);
  const how =
    signal !== null ? `was killed by ${signal}` : code === null ? 'ended' : `ended with exit code ${code}`;
  return buildDiagnosis({
    code: 'host_exited',
    message: `the host of ${providerId} ${how}`,
    stage: 'connecting',
    provider_id: providerId,
    containers: [
      {
        name: 'host',
        reason: signal ?? 'Error',
        message: null,
        exit_code: code,
        signal: null,
        memory_limit: null,
      },
    ],
    log: log === '' ? null : { container: 'host', text: log },
  });
}
