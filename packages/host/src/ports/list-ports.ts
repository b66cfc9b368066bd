/**
 * What listens in the sandbox: sockets that a process of it has open. Where the sandbox shares the machine's network, the table of the
 * kernel has the sockets of everybody else, too, and those are none of its.
 */
import { readFile, readdir, readlink } from 'node:fs/promises';
import type { PortList } from '@omnigent/protocol';
import { parseListeners } from './parse-sockets.ts';

type ListedPort = PortList['items'][number];

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
const MAX_PROGRAM = 256;

/** Ports in ascending order, each address once. */
export async function listPorts(): Promise<ListedPort[]> {
  const tables = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
  const listeners = tables.flatMap(parseListeners);
  if (listeners.length === 0) return [];
  const owners = await findOwners(new Set(listeners.map(({ inode }) => inode)));
  const ports = listeners.flatMap(({ port, address, inode }) => {
    const owner = owners.get(inode);
    return owner === undefined ? [] : [{ port, address, ...owner }];
  });
  return ports.toSorted((one, other) => one.port - other.port || one.address.localeCompare(other.address));
}

type Owner = Pick<ListedPort, 'pid' | 'program'>;

/** The processes that have these sockets open; what another user runs cannot be looked at and has none. */
async function findOwners(inodes: ReadonlySet<string>): Promise<Map<string, Owner>> {
  const owners = new Map<string, Owner>();
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  for (const pid of pids) {
    const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const links = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
    const open = links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
    const found = open.filter((inode) => inodes.has(inode) && !owners.has(inode));
    if (found.length === 0) continue;
    const program = await readProgram(pid);
    for (const inode of found) owners.set(inode, { pid: Number(pid), program });
  }
  return owners;
}

async function readProgram(pid: string): Promise<string | null> {
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  return name.trim() === '' ? null : name.trim().slice(0, MAX_PROGRAM);
}
