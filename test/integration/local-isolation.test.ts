/** What a sandbox of the local provider can see and do: the real bubblewrap, as root and as an ordinary user. */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Machine, commandOutput, findMarkedProcesses } from './local/machine.ts';

const SECRET = 'a-secret-of-the-server';
let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create({
    config: { isolation: 'bubblewrap', env: ['SEEN'] },
    environment: { SEEN: 'passed on', HIDDEN: SECRET, SSH_AUTH_SOCK: '/tmp/agent.sock' },
  });
});
afterAll(async () => await machine[Symbol.asyncDispose]());

describe('a local sandbox', () => {
  it('is a user of its own without any privilege', async () => {
    const output = await machine.runScript(
      'id -un; id -u; id -g; pwd; hostname; grep -hE "^(CapPrm|CapEff|NoNewPrivs)" /proc/self/status',
    );
    expect(output.replaceAll('\t', ' ').split('\n')).toEqual([
      'sandbox',
      '1000660000',
      '1000660000',
      '/home/omnigent',
      'sandbox',
      'CapPrm: 0000000000000000',
      'CapEff: 0000000000000000',
      'NoNewPrivs: 1',
      '',
    ]);
  });

  it.each(['user', 'pid', 'ipc', 'uts', 'mnt', 'cgroup'])('has a %s namespace of its own', async (name) => {
    const path = `/proc/self/ns/${name}`;
    const inside = (await machine.runScript(`readlink ${path}`)).trim();
    expect(inside).toMatch(new RegExp(`^${name}:`));
    expect(inside).not.toBe(await commandOutput('readlink', path));
  });

  it('sees its own processes only', async () => {
    const output = await machine.runScript('ls -d /proc/[0-9]* | wc -l; cat /proc/[0-9]*/comm | sort -u');
    const [count, ...names] = output.trim().split('\n');
    expect(Number(count)).toBeLessThan(10);
    expect(names.filter((name) => !/^(bwrap|node|MainThread|sh|ls|cat|sort|wc)/.test(name))).toEqual([]);
  });

  it('sees nothing of the machine beyond the system', async () => {
    const output = await machine.runScript(
      'ls -A /; echo; ls -A /home /root /srv /mnt /var /run /tmp 2>/dev/null',
    );
    const [root = '', rest] = output.split('\n\n');
    const allowed = /^(bin|dev|etc|gnu|home|lib\w*|nix|opt|proc|run|sbin|tmp|usr|var)$/;
    expect(root.split('\n').filter((name) => !allowed.test(name))).toEqual([]);
    expect(rest).not.toContain('docker');
    expect(output).not.toContain(machine.stateDirectory.split('/').at(-1));
  });

  it('reaches neither the state of the server, nor other sandboxes, nor sockets of the machine', async () => {
    await writeFile(join(machine.stateDirectory, 'token'), SECRET);
    const other = await machine.launch('sleep 60');
    const paths = [
      machine.stateDirectory,
      join(machine.stateDirectory, 'token'),
      join(machine.stateDirectory, 'sandboxes', other.id, 'home'),
      '/var/run/docker.sock',
      '/run/containerd',
      '/tmp/agent.sock',
      '/etc/shadow',
      '/etc/machine-id',
      '/sys/kernel',
    ];
    const output = await machine.runScript(
      `for path in ${paths.join(' ')}; do ls -d $path 2>/dev/null; done; true`,
    );
    expect(output).toBe('');
  });

  it('writes to its home and to temporary directories, and nowhere else', async () => {
    const places =
      '/home/omnigent /home/omnigent/workspace /tmp /var/tmp /dev/shm / /usr /etc /opt /home /run /opt/omnigent/host';
    const output = await machine.runScript(
      `for place in ${places}; do touch $place/x 2>/dev/null && echo $place; done; true`,
    );
    expect(output.trim().split('\n')).toEqual(places.split(' ').slice(0, 5));
  });

  it('changes no setting of the kernel, whoever the server runs as', async () => {
    const before = await readFile('/proc/sys/kernel/core_pattern', 'utf8');
    const output = await machine.runScript(
      `for file in $(find /proc/sys /proc/sysrq-trigger -type f 2>/dev/null); do [ -w $file ] && echo $file; done
       (echo "|/bin/false" > /proc/sys/kernel/core_pattern) 2>/dev/null && echo written; true`,
    );
    expect(
      output
        .split('\n')
        .filter(
          (line) =>
            !/^\/proc\/sys\/(fs\/mqueue|user|net|kernel\/(ns_last_pid|pid_max|auto_msg|msg|sem|shm))|^$/.test(
              line,
            ),
        ),
    ).toEqual([]);
    expect(await readFile('/proc/sys/kernel/core_pattern', 'utf8')).toBe(before);
  });

  it('gets an environment that is built from nothing', async () => {
    const output = await machine.runScript('env', { env: { ASKED: 'a value\nof two lines' } });
    expect(output).toContain('SEEN=passed on\n');
    expect(output).toContain('ASKED=a value\nof two lines\n');
    expect(output).not.toContain(SECRET);
    const names = output.match(/^[A-Z_]+(?==)/gm)?.sort();
    expect(names).toEqual(
      [
        ...[
          'ASKED',
          'HOME',
          'IS_SANDBOX',
          'LANG',
          'LOGNAME',
          'NODE_COMPILE_CACHE',
          'OMNIGENT_HOST_ID',
          'OMNIGENT_HOST_NAME',
        ],
        ...['OMNIGENT_HOST_TOKEN', 'PATH', 'PWD', 'SEEN', 'SHELL', 'STAND_IN_SCRIPT', 'USER'],
      ].sort(),
    );
  });

  it('shows the launch token on no command line, and nothing of the request to what runs outside', async () => {
    const env = { LD_PRELOAD: '/home/omnigent/evil.so' };
    const { id, hostId } = await machine.launch('echo up; sleep 60', { env });
    await machine.waitForLog(id, /up/);
    const processes = await findMarkedProcesses(new Set([hostId]));
    const outside = await Promise.all(
      processes.map(async (line) => {
        const pid = line.split(' ')[0];
        const program = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
        return program === 'bwrap\n' ? await readFile(`/proc/${pid}/environ`, 'utf8') : '';
      }),
    );
    expect(outside.filter((text) => text !== '').length).toBeGreaterThan(1);
    expect(outside.filter((text) => /HOST_TOKEN|LD_PRELOAD|STAND_IN/.test(text))).toEqual([]);
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const lines = await Promise.all(
      pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
    );
    expect(lines.filter((line) => line.includes('test-token-'))).toEqual([]);
  });

  it('has the settings of its host, and names that resolve', async () => {
    const output = await machine.runScript(
      'cat ~/.omnigent/config.yaml; getent hosts sandbox; getent passwd sandbox',
      {
        hostConfig: { quoted: 'it\'s "$HOME"' },
      },
    );
    expect(output).toContain('"quoted": "it\'s \\"$HOME\\""');
    expect(output).toMatch(/127\.0\.0\.1 +sandbox/);
    expect(output).toContain('sandbox:x:1000660000:1000660000:');
  });

  it('reads further paths that its operator names, and only reads them', async () => {
    const shown = join(machine.stateDirectory, 'shown');
    await mkdir(shown);
    await writeFile(join(shown, 'model'), 'weights\n', { mode: 0o644 });
    const config = { isolation: 'bubblewrap', readable_paths: [shown] };
    await using other = await Machine.create({ config });
    const output = await other.runScript(
      `cat ${shown}/model; touch ${shown}/x 2>/dev/null || echo read-only`,
    );
    expect(output).toBe('weights\nread-only\n');
  });
});
