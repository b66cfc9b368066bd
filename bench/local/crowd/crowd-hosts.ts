/** Many hosts in one process: each line of standard input is one, as JSON of its server and environment. */
import { createInterface } from 'node:readline';
import { resolveSettings, runHost } from '@omnigent/host';
import { z } from 'zod';

const lineSchema = z.object({ serverUrl: z.string(), env: z.record(z.string(), z.string()) });

const forever = new AbortController().signal;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { serverUrl, env } = lineSchema.parse(JSON.parse(line));
  const settings = resolveSettings({ server: serverUrl }, env);
  void runHost(settings, { signal: forever, report: () => undefined });
});
