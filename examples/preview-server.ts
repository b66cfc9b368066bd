/** `node preview-server.ts`: a web server in a sandbox, read by this program; the address for a browser goes to standard error. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxHandle } from '@omnigent/client';
import { connect } from './connect.ts';

await using sandbox = await connect(process.env).launch({});
await sandbox.files.write('index.html', '<h1>Hello from a sandbox</h1>\n');
await sandbox.prepare(['python3', '-m', 'http.server', '0', '--bind', '127.0.0.1']).ensureStarted();
const port = await findPort(sandbox, 'python3');

// For a person: opens one browser, once, within two minutes.
const { url } = await sandbox.preview(port);
console.error(`open ${url}`);

// For a program: the token opens it, and the web server never sees the token.
const authorization = `Bearer ${process.env['OMNIGENT_TOKEN'] ?? ''}`;
const answer = await fetch(`${sandbox.previewAddress(port)}index.html`, { headers: { authorization } });
console.log(answer.status, (await answer.text()).trim());

/** The port on which a program listens, as soon as it does. */
async function findPort(target: SandboxHandle, program: string): Promise<number> {
  const signal = AbortSignal.timeout(30_000);
  for (;;) {
    const found = (await target.ports(signal)).find((item) => item.program === program);
    if (found !== undefined) return found.port;
    await sleep(50, undefined, { signal });
  }
}
