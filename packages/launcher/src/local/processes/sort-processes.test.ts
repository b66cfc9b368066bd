import { describe, expect, it } from 'vitest';
import { sortProcesses } from './sort-processes.ts';

const process = (pid: number, parent: number, isHost = false) => ({ pid, parent, isHost, startTime: '1' });

describe('sortProcesses', () => {
  it('tells the host, what isolates it, and what it has started apart', () => {
    const [monitor, init, host] = [process(10, 1), process(11, 10), process(12, 11, true)];
    const [child, orphan] = [process(13, 12), process(14, 11)];
    expect(sortProcesses([orphan, child, host, init, monitor])).toEqual({
      host,
      wrappers: [init, monitor],
      programs: [orphan, child],
    });
  });

  it('takes the topmost for the host when programs carry its token too', () => {
    const [host, child] = [process(12, 11, true), process(13, 12, true)];
    expect(sortProcesses([child, host])).toEqual({ host, wrappers: [], programs: [child] });
  });

  it('takes everything for programs when the host has ended', () => {
    const left = [process(10, 1), process(11, 10)];
    expect(sortProcesses(left)).toEqual({ host: undefined, wrappers: [], programs: left });
  });

  it('ends with parents that name each other', () => {
    const [one, two] = [process(10, 11, true), process(11, 10)];
    expect(sortProcesses([one, two]).programs).toEqual([]);
  });
});
