import { systemClock } from '@omnigent/protocol';
import { describe, expect, it } from 'vitest';
import { Http } from './http.ts';
import { RunningProcess } from './running-process.ts';

const READ = {
  id: 'p1',
  argv: ['cat'],
  cwd: '/',
  pty: null,
  state: 'running',
  pid: 7,
  exit: null,
  started_at: '2026-01-01T00:00:00.000Z',
  output: { first_offset: 0, end_offset: 0 },
  input: { offset: 42, closed: false },
};

/** A program, and the offsets at which bytes for it arrived. */
function createProcess(start?: { readonly argv: string[] }) {
  const offsets: (string | null)[] = [];
  const http = new Http({
    url: 'http://server.invalid',
    token: 'of-this-test',
    fetch: async (url, { method }) => {
      if (method === 'GET') return Response.json(READ);
      offsets.push(new URL(url).searchParams.get('offset'));
      return Response.json({ offset: 0, closed: false });
    },
  });
  const context = {
    http,
    webSocket: () => {
      throw new Error('expected no WebSocket');
    },
    sandboxId: 's0123456789ab',
    clock: systemClock,
    random: () => 0,
    reattachBudgetMs: 0,
  };
  return { process: new RunningProcess(context, 'p1', start), offsets };
}

describe('what is written to a program', () => {
  it('that was found by its id goes on after what was written before', async () => {
    const { process, offsets } = createProcess();
    await process.write(new Uint8Array(3));
    await process.write(new Uint8Array(1));
    expect(offsets).toEqual(['42', '45']);
  });

  it('that is started here begins at its beginning, so that a repeat is harmless', async () => {
    const { process, offsets } = createProcess({ argv: ['cat'] });
    await process.write(new Uint8Array(3));
    await process.write(new Uint8Array(1));
    expect(offsets).toEqual(['0', '3']);
  });
});
