import { describe, expect, it } from 'vitest';
import { SIGNALS, startProcessSchema, toExitStatus } from './index.ts';
import type { ProcessExit } from './index.ts';

const exit: ProcessExit = {
  exit_code: 7,
  signal: null,
  oom_killed: false,
  memory_limit_bytes: null,
  timed_out: false,
  error: null,
  ended_at: '2026-01-01T00:00:00.000Z',
};

describe('toExitStatus', () => {
  it.each([
    [exit, 7],
    [{ ...exit, exit_code: null, signal: 'SIGKILL' as const }, 137],
    [{ ...exit, exit_code: null, error: { code: 'program_not_found', message: '' } }, 127],
    [{ ...exit, exit_code: null, error: { code: 'program_not_executable', message: '' } }, 126],
  ])('is what a shell would report', (facts, status) => {
    expect(toExitStatus(facts, SIGNALS)).toBe(status);
  });
});

describe('startProcessSchema', () => {
  it.each([
    { argv: [] },
    { argv: [''] },
    { argv: ['a\0b'] },
    { argv: ['true'], env: { '1X': '' } },
    { argv: ['true'], env: { 'A=B': '' } },
    { argv: ['true'], shell: true },
    { argv: ['true'], pty: { columns: 0, rows: 1 } },
  ])('refuses %j', (body) => {
    expect(startProcessSchema.safeParse(body).success).toBe(false);
  });
});
