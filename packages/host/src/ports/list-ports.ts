/**
 * What listens in the sandbox: sockets that a program of this host has open. A local sandbox shares the network of its machine, and
 * without isolation its processes, too; what others listen on is none of it.
 */
import { readFile, readdir, readlink } from 'node:fs/promises';
import type { PortList } from '@omnigent/protocol';
import { listMembers } from '../processes/process-tree.ts';
import { parseListeners } from './parse-sockets.ts';

type ListedPort = PortList['items'][number];

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
const MAX_PROGRAM = 256;
/** As many as the answer may hold. */
const MAX_PORTS = 4096;

/** Ports in ascending order, each address once. Programs of this host have marks that begin with its boot id. */
export async function listPorts(bootId: string): Promise<ListedPort[]> {
  const tables = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
  const listeners = tables.flatMap(parseListeners);
  if (listeners.length === 0) return [];
  const owners = await findOwners(new Set(listeners.map(({ inode }) => inode)), bootId);
  const ports = listeners.flatMap(({ port, address, inode }) => {
    const owner = owners.get(inode);
    return owner === undefined ? [] : [{ port, address, ...owner }];
  });
  return ports
    .toSorted((one, other) => one.port - other.port || one.address.localeCompare(other.address))
    .slice(0, MAX_PORTS);
}

type Owner = Pick<ListedPort, 'pid' | 'program'>;

/** The programs that have these sockets open; what another user runs cannot be looked at and has none. */
async function findOwners(inodes: ReadonlySet<string>, bootId: string): Promise<Map<string, Owner>> {
  const owners = new Map<string, Owner>();
  for (const pid of await listPrograms(bootId)) {
    const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const links = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
    const open = links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
    const found = open.filter((inode) => inodes.has(inode) && !owners.has(inode));
    if (found.length === 0) continue;
    const program = await readProgram(pid);
    for (const inode of found) owners.set(inode, { pid, program });
  }
  return owners;
}

/** Processes that carry the mark, and those that have cleared their environment but stayed in a session with one. */
async function listPrograms(bootId: string): Promise<number[]> {
  const members = await listMembers();
  const isMarked = (mark: string | undefined) => mark?.startsWith(`${bootId}.`) === true;
  const sessions = new Set(members.filter(({ mark }) => isMarked(mark)).map(({ session }) => session));
  return members.filter(({ mark, session }) => isMarked(mark) || sessions.has(session)).map(({ pid }) => pid);
}

async function readProgram(pid: number): Promise<string | null> {
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  return name.trim() === '' ? null : name.trim().slice(0, MAX_PROGRAM);
}
