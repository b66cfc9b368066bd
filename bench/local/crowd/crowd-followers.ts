/** Keeps tunnels busy: `URL TOKEN COUNT` launches sandboxes, has each print twice a second, follows all, and says when. */
import { createClient } from '@omnigent/client';

const [url = '', token = '', count = '0'] = process.argv.slice(2);
/**
 * Five kilobytes twice a second, without starting another program: 2 MB each second through 200 tunnels. Programs, hosts and
 * readers take their time from the cores that the server has; anywhere else they are on other machines.
 */
const PRINT = `exec 3<> <(:); while :; do printf '%05000d\\n' 0; read -t 0.5 -u 3; done`;
const AT_ONCE = 10;

const client = createClient({ url, token });

async function startBusy(): Promise<void> {
  const sandbox = await client.launch({});
  const output = sandbox.prepare(['bash', '-c', PRINT]).output();
  await output.next();
  void (async () => {
    for (let next = await output.next(); next.done !== true; next = await output.next());
  })();
}

for (let left = Number(count); left > 0; left -= AT_ONCE)
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, left) }, startBusy));
process.stdout.write('busy\n');
