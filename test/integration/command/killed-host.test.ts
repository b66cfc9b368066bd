/** The host of a local sandbox is killed: its programs end with it, and the caller learns that, not a success. */
import { readFile, readdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Installation, collect } from './omnigent.ts';

let omnigent: Installation;
beforeAll(async () => {
  omnigent = await Installation.create();
});
afterAll(async () => await omnigent[Symbol.asyncDispose]());

/** Processes whose command line begins with one text and has another. */
async function findPids(begin: string, part = ''): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')),
  );
  const isWanted = (line = '') => line.startsWith(begin) && line.includes(part);
  return pids.map(Number).filter((_, index) => isWanted(lines[index]));
}

it('programs of a killed host end, whatever they ignore, and whoever follows them learns that the host died', async () => {
  const mark = `3600.${process.pid}`;
  const sleeping = `sleep\0${mark}\0`;
  const script = `trap '' TERM HUP; echo begun; setsid sleep ${mark} & sleep ${mark}`;
  const running = omnigent.start(['run', '--quiet', '--keep', '--name', 'killed', '--', 'sh', '-c', script]);
  const begun = new Promise((resolve) => running.stdout?.once('data', resolve));
  const ended = collect(running);
  await begun;
  await expect.poll(() => findPids(sleeping)).toHaveLength(2);
  const { url } = await omnigent.readServer();
  const [host = 0] = await findPids('/opt/omnigent/bin/node', url);
  process.kill(host, 'SIGKILL');
  await expect.poll(() => findPids(sleeping), { timeout: 20_000 }).toEqual([]);
  const result = await ended;
  expect(result.status).toBe(125);
  expect(result.stdout.toString()).toBe('begun\n');
  expect(result.stderr).toContain('the host of killed');
  const listed = await omnigent.run(['get', 'killed']);
  expect(listed.stdout.toString()).toContain('HostLost');
  expect((await omnigent.run(['rm', 'killed'])).status).toBe(0);
  expect(await omnigent.listDirectories()).toEqual([]);
  expect(await omnigent.listProcesses()).toEqual([]);
}, 90_000);
