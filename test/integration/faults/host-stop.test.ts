/** A host that is told to stop: programs and server learn it at once, whoever reads gets the last words. */
import { once } from 'node:events';
import { HOST_ROUTES, LOG_STREAM, LogDecoder, SERVER_ROUTES } from '@omnigent/protocol';
import { expect, it } from 'vitest';
import { isReady, startTestServer, waitForEvent } from '../server-harness/test-server.ts';

/** One hears SIGTERM and does not end, the other says goodbye. */
const STUBBORN = "trap 'echo heard' TERM; echo up; while :; do sleep 0.1; done";
const POLITE = "trap 'echo goodbye; exit 4' TERM; echo up; while :; do sleep 0.1; done";

/** The texts of a followed program, as they come. */
async function* readTexts(answer: Response): AsyncGenerator<string> {
  if (answer.body === null) return;
  const decoder = new LogDecoder(0);
  for await (const chunk of answer.body)
    for (const { stream, data } of decoder.push(chunk))
      if (stream === LOG_STREAM.stdout || stream === LOG_STREAM.exit) yield new TextDecoder().decode(data);
}

it('programs and server are told at once, and followers hear a program to its end', async () => {
  await using api = await startTestServer();
  const { id } = await api.launch();
  await waitForEvent(api.events(id), isReady);
  const route = (path: string) => SERVER_ROUTES.host(id, path);
  const follow = async (process: string, script: string) => {
    const json = { argv: ['sh', '-c', script] };
    const answer = await api.call('PUT', `${route(HOST_ROUTES.process(process))}?follow=1`, { json });
    const texts = readTexts(answer);
    expect((await texts.next()).value).toBe('up\n');
    return texts;
  };
  const stubborn = await follow('stubborn', STUBBORN);
  const polite = await follow('polite', POLITE);
  const [host] = api.launcher.hosts.values();
  if (host === undefined) throw new Error('there is no host');
  const ended = once(host, 'exit');
  host.kill('SIGTERM');
  expect((await stubborn.next()).value).toBe('heard\n');
  expect((await polite.next()).value).toBe('goodbye\n');
  expect((await polite.next()).value).toContain('"exit_code":4');
  // The host is still there and waits for the stubborn one; what is asked for now is for another host to answer.
  const refused = await api.call('GET', route(HOST_ROUTES.processes));
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, 'host_offline']);
  expect((await stubborn.next()).value).toContain('"signal":"SIGKILL"');
  expect(await ended).toEqual([143, null]);
});
