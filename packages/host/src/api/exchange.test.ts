import { connect, constants } from 'node:http2';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createHostServer } from './host-server.ts';

it('an answer that breaks is reset, and never looks like a whole one', async () => {
  const host = createHostServer(async (exchange) => {
    exchange.stream.respond({ ':status': 200 });
    exchange.stream.write('begun');
    exchange.fail(new Error('the disk broke'));
  });
  const server = createServer((socket) => void host.emit('connection', socket)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => session.destroy());
  for (let time = 0; time < 50; time += 1) {
    const stream = session.request({ ':path': '/' });
    stream.resume();
    const failed = once(stream, 'error').then(() => stream.rstCode);
    const ended = once(stream, 'close').then(() => stream.rstCode);
    expect(await Promise.race([failed, ended])).toBe(constants.NGHTTP2_INTERNAL_ERROR);
  }
});
