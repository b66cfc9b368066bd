/** The whole way: POST, launch, tunnel, program, DELETE, with the real host. */
import { existsSync } from 'node:fs';
import { LOG_CONTENT_TYPE, LOG_STREAM, LogDecoder, problemSchema } from '@omnigent/protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { HOST_BUNDLE, isReady, startTestServer, waitForEvent } from './server-harness/test-server.ts';

beforeAll(() => {
  if (!existsSync(HOST_BUNDLE)) throw new Error(`expected the host bundle at ${HOST_BUNDLE}: npm run build`);
});

async function readOutput(response: Response) {
  const decoder = new LogDecoder(0);
  const out = { stdout: '', stderr: '', exit: undefined as unknown };
  for await (const chunk of response.body ?? []) {
    for (const record of decoder.push(chunk)) {
      const text = 'data' in record ? new TextDecoder().decode(record.data) : '';
      if ('stream' in record && record.stream === LOG_STREAM.stdout) out.stdout += text;
      if ('stream' in record && record.stream === LOG_STREAM.stderr) out.stderr += text;
      if ('stream' in record && record.stream === LOG_STREAM.exit) out.exit = JSON.parse(text);
    }
  }
  return out;
}

describe('a launch', () => {
  test('runs a program through the tunnel and leaves nothing after DELETE', async () => {
    await using api = await startTestServer();
    const { id } = await api.launch({ name: 'first' });
    const events = await waitForEvent(api.events(id), isReady);
    expect(events.flatMap((event) => (event.type === 'stage' ? [event.stage] : []))).toEqual([
      'provisioning',
      'starting',
      'connecting',
      'ready',
    ]);
    const answer = await api.call('PUT', `/v1/sandboxes/first/processes/p1?follow=1`, {
      json: { argv: ['sh', '-c', 'echo out; echo err >&2; exit 7'] },
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toBe(LOG_CONTENT_TYPE);
    expect(await readOutput(answer)).toMatchObject({
      stdout: 'out\n',
      stderr: 'err\n',
      exit: { exit_code: 7 },
    });
    const deleted = await api.call('DELETE', `/v1/sandboxes/${id}?wait=20`);
    expect(deleted.status).toBe(204);
    expect(api.launcher.hosts.size).toBe(0);
    const gone = await api.call('GET', `/v1/sandboxes/${id}`);
    expect(problemSchema.parse(await gone.json())).toMatchObject({ status: 404, code: 'sandbox_not_found' });
  });
});
