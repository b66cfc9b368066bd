/**
 * Many launches at once on a fake API server that fails at random: each ends as a running host or with a diagnosis, and
 * nothing is left once all were terminated or swept, but what others own. OMNIGENT_TEST_LAUNCHES and OMNIGENT_TEST_SEED choose how many and which.
 */
import { LaunchError } from '@omnigent/launcher';
import type { SandboxLauncher } from '@omnigent/launcher';
import { isSandboxError } from '@omnigent/protocol';
import { hostExits, hostRuns } from '@omnigent/testkit';
import type { FakeApiServer, FaultEffect, PodScript } from '@omnigent/testkit';
import { describe, expect, it } from 'vitest';
import { FAKE_NAMESPACE, openFakeLaunches } from './launch/fake-launches.ts';
import type { FakeLaunches } from './launch/fake-launches.ts';
import { buildRequest } from './launch/launch-subject.ts';
import { createRandom } from '../seeded-random.ts';

const LAUNCHES = Number(process.env['OMNIGENT_TEST_LAUNCHES'] ?? 600);
const SEED = Number(process.env['OMNIGENT_TEST_SEED'] ?? 1);
const PARALLEL = 80;

const refuse = (
  code: number,
  reason: string,
  headers: Readonly<Record<string, string>> = {},
): FaultEffect => ({
  type: 'refuse',
  status: { code, reason, message: reason },
  headers,
});

/** A date of `Retry-After` by a clock that goes wrong by so much. */
const retryAt = (skewMs: number) => ({ 'retry-after': new Date(Date.now() + skewMs).toUTCString() });

const EFFECTS: readonly FaultEffect[] = [
  { type: 'lose-answer' },
  { type: 'reset' },
  { type: 'truncate' },
  { type: 'delay', delayMs: 40 },
  refuse(500, 'InternalError'),
  refuse(503, 'ServiceUnavailable'),
  refuse(429, 'TooManyRequests'),
  refuse(429, 'TooManyRequests', { 'retry-after': '1' }),
  refuse(429, 'TooManyRequests', retryAt(-3_600_000)),
  refuse(503, 'ServiceUnavailable', retryAt(3_600_000)),
  { type: 'answer', status: 502, body: '<html>Bad Gateway</html>' },
  refuse(403, 'Forbidden'),
  refuse(422, 'Invalid'),
];

/** Each of these costs whoever meets it the whole deadline of a request, so they are few. */
const SILENT: readonly FaultEffect[] = [{ type: 'silence' }, { type: 'swallow-answer' }];
const SILENT_TIMES = 8;

/** One request in twelve meets a fault, whatever it is. */
function injectFaults({ api }: FakeLaunches, random: () => number): void {
  for (const effect of EFFECTS)
    api.faults.inject({ match: () => random() < 1 / 12 / EFFECTS.length, times: Infinity, effect });
  for (const effect of SILENT)
    api.faults.inject({ match: () => random() < 1 / 200, times: SILENT_TIMES, effect });
}

/** What happens to the whole server now and then: watches are cut, versions expire in both forms, reads are stale, bursts. */
const UPHEAVALS: readonly ((api: FakeApiServer) => void)[] = [
  (api) => api.watches.reset(),
  (api) => api.watches.end(),
  (api) => api.watches.sendText('{"type":"MODI'),
  (api) => api.watches.sendError({ code: 410, reason: 'Expired', message: 'too old resource version' }),
  (api) => {
    api.setGoneForm('status');
    api.store.compact();
    api.watches.end();
  },
  (api) => {
    api.setGoneForm('stream');
    api.store.compact();
    api.watches.reset();
  },
  (api) => {
    api.freezeReads();
    setTimeout(() => api.thawReads(), STALE_MS);
  },
  (api) => {
    const burst = api.faults.inject({ times: 40, effect: refuse(503, 'ServiceUnavailable') });
    // When all wait for the shared watch, its tries alone would use the burst up, each later than the one before: minutes of it.
    setTimeout(() => burst.remove(), BURST_MS);
  },
];
const UPHEAVAL_EVERY = 50;
/** How long reads come from the past. */
const STALE_MS = 500;
/** How long a server that is overloaded refuses everything. */
const BURST_MS = 2_000;

/** One upheaval for every fiftieth launch. */
function shake({ api }: FakeLaunches, index: number): void {
  if (index % UPHEAVAL_EVERY !== 0) return;
  UPHEAVALS[(index / UPHEAVAL_EVERY) % UPHEAVALS.length]?.(api);
}

/** Objects that another installation owns, in the same namespace. */
function putForeign({ api }: FakeLaunches): string[] {
  const labels = { 'app.kubernetes.io/managed-by': 'omnigent', 'omnigent.ai/instance': 'another' };
  for (const [resource, name] of [
    ['pods', 'omnigent-other-0a0a0a'],
    ['secrets', 'omnigent-other-0a0a0a-token'],
  ] as const)
    api.store.put(
      { resource, namespace: FAKE_NAMESPACE, name },
      { metadata: { name, namespace: FAKE_NAMESPACE, labels } },
    );
  return ['pods/omnigent-other-0a0a0a', 'secrets/omnigent-other-0a0a0a-token'];
}

/** As the server's sweep does it: whatever carries the installation's label and has no record. */
async function sweep(launcher: SandboxLauncher): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      for await (const { providerId } of launcher.list({ signal: AbortSignal.timeout(20_000) }))
        await terminate(launcher, providerId);
      return;
    } catch (error) {
      if (tries === 20) throw error;
    }
  }
}

function createScript(random: () => number): PodScript {
  return async (control) => {
    const script =
      random() < 0.8 ? hostRuns({ stepMs: 2 }) : hostExits({ exitCode: 3, log: 'no\n', stepMs: 2 });
    await script(control);
  };
}

interface Launching {
  readonly launcher: SandboxLauncher;
  readonly index: number;
  readonly random: () => number;
}

/** How one launch ended: `running`, or a code. */
async function launchOnce({ launcher, index, random }: Launching): Promise<{ id: string; end: string }> {
  const controller = new AbortController();
  // A stream that says nothing is found out after 30 s, one that is never answered after 75 s; a launch can meet several of them.
  const deadline = AbortSignal.timeout(180_000);
  const signal = AbortSignal.any([controller.signal, deadline]);
  const id = await launcher.provision(`random-${index}`, { signal });
  if (random() < 0.1) setTimeout(() => controller.abort(), random() * 60);
  const hostId = `h${String(index).padStart(12, '0')}`;
  try {
    await launcher.startHost(id, buildRequest({ hostId }), { signal, onStage: () => undefined });
    return { id, end: 'running' };
  } catch (error) {
    const isExpected = error instanceof LaunchError || (isSandboxError(error) && error.code === 'canceled');
    if (!isExpected) throw error;
    return { id, end: error.code };
  }
}

/** As the server does it: again until it is confirmed. */
async function terminate(launcher: SandboxLauncher, id: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await launcher.terminate(id, { signal: AbortSignal.timeout(20_000) });
    } catch (error) {
      if (tries === 20) throw error;
    }
  }
}

describe('launches with faults at random', () => {
  it(
    `all end, and leave nothing (${LAUNCHES}, seed ${SEED})`,
    async () => {
      const random = createRandom(SEED);
      const subject = await openFakeLaunches();
      try {
        subject.api.kubelet.script = createScript(random);
        const launcher = await subject.open();
        const foreign = putForeign(subject);
        injectFaults(subject, random);
        const ends = new Map<string, number>();
        let next = 0;
        const work = async () => {
          for (let index = next++; index < LAUNCHES; index = next++) {
            shake(subject, index);
            const { id, end } = await launchOnce({ launcher, index, random });
            ends.set(end, (ends.get(end) ?? 0) + 1);
            // A server that was killed leaves some to its sweep.
            if (end !== 'running' || random() < 0.9) await terminate(launcher, id);
          }
        };
        await Promise.all(Array.from({ length: PARALLEL }, work));
        subject.api.thawReads();
        await sweep(launcher);
        expect([...ends.values()].reduce((sum, count) => sum + count, 0)).toBe(LAUNCHES);
        expect(ends.get('running')).toBeGreaterThan(LAUNCHES / 3);
        expect([...ends.keys()].filter((code) => code === 'launch_failed')).toEqual([]);
        await expect.poll(() => subject.listObjects(), { timeout: 20_000 }).toEqual(foreign);
      } finally {
        await subject.close();
      }
    },
    Math.max(900_000, LAUNCHES * 1000),
  );
});
