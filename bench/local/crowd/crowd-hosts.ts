/** Many hosts in one process: each line of standard input is one, as JSON of its server and environment. */
import { createInterface } from 'node:readline';
import { resolveSettings, runHost } from '@omnigent/host';
import { z } from 'zod';

const lineSchema = z.object({ serverUrl: z.string(), env: z.record(z.string(), z.string()) });

const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
const hosts: Promise<void>[] = [];
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { serverUrl, env } = lineSchema.parse(JSON.parse(line));
  const settings = resolveSettings({ server: serverUrl }, env);
  hosts.push(runHost(settings, { signal: stopping.signal, report: () => undefined }).catch(() => undefined));
});
stopping.signal.addEventListener('abort', () => {
  lines.close();
  process.stdin.destroy();
  void Promise.all(hosts).then(() => process.exit(0));
});
