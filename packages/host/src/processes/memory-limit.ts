/** The cgroup's memory facts, from cgroup v2 or v1; null where there is no cgroup to read (a laptop's namespace). */
import { readFile } from 'node:fs/promises';

export interface MemoryFacts {
  readonly usedBytes: number | null;
  readonly limitBytes: number | null;
  /** How many processes the kernel has killed for memory in this cgroup so far. */
  readonly oomKills: number | null;
}

const V2 = {
  events: '/sys/fs/cgroup/memory.events',
  limit: '/sys/fs/cgroup/memory.max',
  used: '/sys/fs/cgroup/memory.current',
};
const V1 = {
  events: '/sys/fs/cgroup/memory/memory.oom_control',
  limit: '/sys/fs/cgroup/memory/memory.limit_in_bytes',
  used: '/sys/fs/cgroup/memory/memory.usage_in_bytes',
};
/** cgroup v1 says "no limit" with a number near 2^63. */
const UNLIMITED_BYTES = 2 ** 60;

/** Parses `oom_kill N` of memory.events (v2) or memory.oom_control (v1). */
export function parseOomKills(text: string): number | null {
  const count = /^oom_kill (\d+)$/m.exec(text)?.[1];
  return count === undefined ? null : Number(count);
}

/** Parses a byte count; `max` and v1's huge number mean no limit. */
export function parseBytes(text: string): number | null {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : null;
  return value === null || value >= UNLIMITED_BYTES ? null : value;
}

async function readText(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch(() => undefined);
}

/** Reads the facts; never throws. */
export async function readMemoryFacts(): Promise<MemoryFacts> {
  const v2 = await readText(V2.events);
  const files = v2 === undefined ? V1 : V2;
  const [events, limit, used] = [
    v2 ?? (await readText(V1.events)),
    await readText(files.limit),
    await readText(files.used),
  ];
  return {
    oomKills: events === undefined ? null : parseOomKills(events),
    limitBytes: limit === undefined ? null : parseBytes(limit),
    usedBytes: used === undefined ? null : parseBytes(used),
  };
}
