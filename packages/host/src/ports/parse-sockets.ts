/** Reads `/proc/net/tcp` and `tcp6`. Pure. */

/** A socket that listens. */
export interface Listener {
  readonly port: number;
  /** Textual address, `0.0.0.0` or `::` for all. */
  readonly address: string;
  readonly inode: string;
}

/** State of a socket that listens, as the kernel prints it. */
const LISTEN = '0A';

/** The listening sockets of one table. */
export function parseListeners(table: string): Listener[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      if (state !== LISTEN || !/^[0-9A-F]{4}$/.test(port)) return [];
      return [{ port: Number.parseInt(port, 16), address: toAddress(address), inode }];
    });
}

/** The kernel prints each group of 32 bits in the byte order of the machine, here the little end first. */
function toAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    [6, 4, 2, 0].map((at) => Number.parseInt(word.slice(at, at + 2), 16)),
  );
  return bytes.length === 4 ? bytes.join('.') : toAddress6(bytes);
}

function toAddress6(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
  );
  // The URL parser knows the short form.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
