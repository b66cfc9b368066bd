/** Which servers NO_PROXY leaves out. */
import { BlockList, isIP } from 'node:net';

/**
 * Whether a list names the server: itself, a domain above it, a range (`10.0.0.1-10.0.0.9`) or network (`10.0.0.0/8`) of
 * addresses that it is in, or `*`. A port restricts an entry.
 */
export function isExcluded({ hostname, port, protocol }: URL, excluded: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '');
  const server = { name, port: port || (protocol === 'https:' ? '443' : '80') };
  return excluded
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => (isIP(name) > 0 && hasAddress(entry, name)) || isNamed(entry, server));
}

function isNamed(entry: string, server: { readonly name: string; readonly port: string }): boolean {
  const [, bracketed, plain = '', port] = /^(?:\[(.+)\]|(?:\*?\.)?(.+?))(?::(\d+))?$/.exec(entry) ?? [];
  if (port !== undefined && port !== server.port) return false;
  const name = bracketed ?? plain;
  return name === '*' || server.name === name || server.name.endsWith(`.${name}`);
}

/** Whether an entry is a range or a network, and the address in it. */
function hasAddress(entry: string, address: string): boolean {
  const family = toFamily(address);
  const list = new BlockList();
  const [first = '', last] = entry.split('-');
  const [network = '', prefix] = entry.split('/');
  try {
    if (last !== undefined && isIP(first) > 0) list.addRange(first, last, toFamily(first));
    else if (prefix !== undefined && isIP(network) > 0)
      list.addSubnet(network, Number(prefix), toFamily(network));
    else return isIP(entry) > 0 && entry === address;
  } catch {
    return false;
  }
  return list.check(address, family);
}

function toFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
