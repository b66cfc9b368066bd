import { describe, expect, it } from 'vitest';
import {
  ERRORS,
  SandboxError,
  fromProblem,
  isErrorCode,
  isSandboxError,
  toCanceledError,
  toErrorMessage,
  toProblem,
} from './index.ts';

describe('the error registry', () => {
  it('gives every code a status, a title without full stop and an advice that is a sentence', () => {
    for (const [code, { status, title, advice }] of Object.entries(ERRORS)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(title).toMatch(/^[A-Z].*[^.]$/);
      expect(advice).toMatch(/^[A-Z]/);
    }
  });
});

describe('problem documents', () => {
  it('carry an error over the wire and back', () => {
    const sent = new SandboxError('input_offset', 'expected offset 5, found 9', { details: { offset: 5 } });
    const received = fromProblem(JSON.parse(JSON.stringify(toProblem(sent, 'r1'))), 'internal');
    expect(received).toMatchObject({
      code: 'input_offset',
      message: sent.message,
      details: { offset: 5, request_id: 'r1' },
    });
    expect(received.advice).toBe(ERRORS.input_offset.advice);
  });

  it('never carry the text of an unexpected error', () => {
    expect(JSON.stringify(toProblem(new Error('password is hunter2')))).not.toContain('hunter2');
  });

  it('become the fallback code when they are not ours', () => {
    expect(fromProblem('<html>', 'server_answer').code).toBe('server_answer');
    expect(
      fromProblem({ ...toProblem(new SandboxError('internal', 'x')), code: 'of_the_future' }, 'server_answer')
        .code,
    ).toBe('server_answer');
  });
});

describe('SandboxError', () => {
  it('is recognised by its brand, also from another copy of the class', () => {
    expect(isSandboxError({ [Symbol.for('omnigent.SandboxError')]: true })).toBe(true);
    expect(isSandboxError(new Error('x'))).toBe(false);
    expect(isErrorCode('toString')).toBe(false);
  });
});

describe('toCanceledError', () => {
  it('tells a time limit from a cancellation, and keeps an error of ours', () => {
    expect(toCanceledError(AbortSignal.abort(), 'the launch').code).toBe('canceled');
    expect(
      toCanceledError(AbortSignal.abort(new DOMException('late', 'TimeoutError')), 'the launch').code,
    ).toBe('timeout');
    const own = new SandboxError('shutting_down', 'x');
    expect(toCanceledError(AbortSignal.abort(own), 'the launch')).toBe(own);
  });
});

describe('toErrorMessage', () => {
  it('finds a message in anything thrown', () => {
    expect(toErrorMessage(new AggregateError([new Error('a'), new Error('b')], ''))).toBe('a; b');
    expect(toErrorMessage('text')).toBe('text');
    expect(toErrorMessage(undefined)).toBe('undefined');
  });
});
