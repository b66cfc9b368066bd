import { describe, expect, it } from 'vitest';
import { parseListeners } from './parse-sockets.ts';

const TCP = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0000000000000000 100 0 0 10 0
   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 17 1 0000000000000000 100 0 0 10 0
   2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 4343 1 0000000000000000 20 4 30 10 -1
`;
const TCP6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000001000000:0BB8 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 5151 1 0000000000000000 100 0 0 10 0
   1: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 5252 1 0000000000000000 100 0 0 10 0
`;

describe('parseListeners', () => {
  it('finds what listens over IPv4', () =>
    expect(parseListeners(TCP)).toEqual([
      { port: 8080, address: '127.0.0.1', inode: '4242' },
      { port: 22, address: '0.0.0.0', inode: '17' },
    ]));

  it('finds what listens over IPv6', () =>
    expect(parseListeners(TCP6)).toEqual([
      { port: 3000, address: '::1', inode: '5151' },
      { port: 80, address: '::', inode: '5252' },
    ]));

  it.each(['', 'header only\n', 'header\ngarbage\n'])('finds nothing in %j', (table) =>
    expect(parseListeners(table)).toEqual([]),
  );
});
