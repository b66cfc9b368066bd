/** A sandbox whose disk is full: programs run on, their ends are learnt, and the host says what is the matter. */
import { readFile } from 'node:fs/promises';
import { HOST_ROUTES, LOG_STREAM, LogDecoder, SERVER_ROUTES, processSchema } from '@omnigent/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isReady, startTestServer, waitForEvent } from '../server-harness/test-server.ts';
import type { TestServer } from '../server-harness/test-server.ts';

const DISK_BYTES = 6_000_000;
const PRINTED_BYTES = 40_000_000;

let api: TestServer;
let id = '';
beforeAll(async () => {
  api = await startTestServer({
    wrapHost: (home) => [
      ...['bwrap', '--dev-bind', '/', '/', '--die-with-parent'],
      ...['--size', String(DISK_BYTES), '--tmpfs', home, '--'],
    ],
  });
  ({ id } = await api.launch());
  await waitForEvent(api.events(id), isReady);
});
afterAll(async () => await api[Symbol.asyncDispose]());

const route = (path: string) => SERVER_ROUTES.host(id, path);

async function start(process: string, script: string): Promise<void> {
  const json = { argv: ['sh', '-c', script] };
  expect((await api.call('PUT', route(HOST_ROUTES.process(process)), { json })).status).toBe(201);
}

async function readOutput(process: string): Promise<{ readonly text: string; readonly hasGap: boolean }> {
  const answer = await api.call('GET', `${route(HOST_ROUTES.output(process))}?follow=1`);
  const decoder = new LogDecoder(0);
  let text = '';
  let hasGap = false;
  for (const { stream, data } of decoder.push(new Uint8Array(await answer.arrayBuffer()))) {
    if (stream === LOG_STREAM.stdout) text += new TextDecoder().decode(data);
    hasGap ||= stream === LOG_STREAM.gap;
  }
  return { text, hasGap };
}

async function readProcess(process: string) {
  return processSchema.parse(await (await api.call('GET', route(HOST_ROUTES.process(process)))).json());
}

it('a program that prints more than the disk takes ends as it wants to, and what is lost is named', async () => {
  await start('flood', `head -c ${PRINTED_BYTES} /dev/zero | tr '\\0' a; echo end; exit 3`);
  await expect.poll(async () => (await readProcess('flood')).state, { timeout: 30_000 }).toBe('exited');
  expect((await readProcess('flood')).exit?.exit_code).toBe(3);
  const { text, hasGap } = await readOutput('flood');
  expect(hasGap).toBe(true);
  expect(text.length).toBeLessThan(PRINTED_BYTES);
  expect(text.endsWith('aaaend\n')).toBe(true);
}, 60_000);

it('the log of the host says which output and why', async () => {
  const [providerId = ''] = api.launcher.hosts.keys();
  const log = await readFile(api.launcher.hostLog(providerId), 'utf8');
  expect(log).toMatch(/output of process flood cannot be written: (ENOSPC|the disk took only a part)/);
});

it('what is printed once there is room again is recorded', async () => {
  expect((await api.call('DELETE', route(HOST_ROUTES.process('flood')))).status).toBe(204);
  await start('small', 'seq 100000');
  const { text, hasGap } = await readOutput('small');
  const expected = Array.from({ length: 100_000 }, (_, line) => `${line + 1}\n`).join('');
  expect([text === expected, hasGap]).toEqual([true, false]);
});
