import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSandboxPaths } from '../records/paths.ts';
import { buildBubblewrapCommand, buildEnvironmentArguments } from './bubblewrap.ts';
import { ETC_PATHS } from './system-view.ts';

const sandbox = toSandboxPaths('/state', 'app-0a1b2c');
const OPTIONS = {
  system: {
    rootEntries: [
      { path: '/usr', linkTo: null },
      { path: '/bin', linkTo: 'usr/bin' },
    ],
    maskedPaths: ['/etc/ssl/private'],
  },
  nodePath: '/nvm/node',
  hostBundle: '/lib/omnigent/host/main.js',
  compileCache: '/cache/host-1',
  isRoot: false,
  sandbox,
  command: ['/opt/omnigent/bin/node', '/opt/omnigent/host/main.js'],
};

const VIEW = [
  '--unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --hostname sandbox',
  '--ro-bind /usr /usr --symlink usr/bin /bin',
  '--proc /proc --dev /dev --perms 1777 --tmpfs /dev/shm --perms 1777 --tmpfs /tmp --tmpfs /run',
  '--dir /var --perms 1777 --tmpfs /var/tmp --symlink /run /var/run',
  `--dir /etc ${ETC_PATHS.map((path) => `--ro-bind-try ${path} ${path}`).join(' ')}`,
  '--tmpfs /etc/ssl/private --dir /home --dir /opt --dir /opt/omnigent --dir /opt/omnigent/bin',
  '--ro-bind /nvm/node /opt/omnigent/bin/node --ro-bind /lib/omnigent/host /opt/omnigent/host',
  '--ro-bind-try /cache/host-1 /opt/omnigent/compile-cache',
  '--ro-bind /state/sandboxes/app-0a1b2c/passwd /etc/passwd',
  '--ro-bind /state/sandboxes/app-0a1b2c/group /etc/group',
  '--ro-bind /state/sandboxes/app-0a1b2c/hosts /etc/hosts',
  '--bind /state/sandboxes/app-0a1b2c/home /home/omnigent --remount-ro /run --remount-ro /',
  '--new-session --cap-drop ALL',
].join(' ');
const COMMAND = '--chdir /home/omnigent -- /opt/omnigent/bin/node /opt/omnigent/host/main.js';
const ENVIRONMENT = '--clearenv --args 3';
const USER = '--unshare-user --uid 1000660000 --gid 1000660000';

describe('buildBubblewrapCommand', () => {
  it('of an ordinary user makes all namespaces at once', () =>
    expect(buildBubblewrapCommand(OPTIONS).join(' ')).toBe(
      `bwrap ${ENVIRONMENT} ${USER} ${VIEW} ${COMMAND}`,
    ));

  it('of root gives the identity up before the environment of the request comes in', () =>
    expect(buildBubblewrapCommand({ ...OPTIONS, isRoot: true }).join(' ')).toBe(
      [
        `bwrap ${VIEW} --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP --`,
        'setpriv --reuid 1000660000 --regid 1000660000 --clear-groups --inh-caps=-all --bounding-set=-all --',
        `bwrap ${ENVIRONMENT} ${USER} --dev-bind / / ${COMMAND}`,
      ].join(' '),
    ));

  it('shows further paths read-only, before the home and the host, which they cannot replace', () => {
    const argv = buildBubblewrapCommand({ ...OPTIONS, readablePaths: ['/srv/models'] });
    const at = argv.indexOf('/srv/models');
    expect(argv.slice(at - 1, at + 2)).toEqual(['--ro-bind-try', '/srv/models', '/srv/models']);
    expect(at).toBeLessThan(argv.indexOf('/opt/omnigent/bin/node'));
  });

  it('makes the parents of further paths, which the sandbox could not enter otherwise', () => {
    const lineOf = (path: string) => buildBubblewrapCommand({ ...OPTIONS, readablePaths: [path] }).join(' ');
    expect(lineOf('/srv/a/models')).toContain('--dir /srv --dir /srv/a --ro-bind-try /srv/a/models');
    expect(lineOf('/usr/share/models')).toContain('/opt/omnigent/bin --ro-bind-try /usr/share/models');
  });

  it('lets a probe fill the compile cache, gives it no home, and takes it along when the launcher dies', () => {
    const { sandbox: _, ...probe } = OPTIONS;
    const line = buildBubblewrapCommand({ ...probe, isCacheWritable: true }).join(' ');
    expect(line).toContain(' --bind-try /cache/host-1 /opt/omnigent/compile-cache');
    expect(line).toContain('--die-with-parent');
    expect(line).not.toContain('/home/omnigent');
  });

  it('does without a compile cache', () =>
    expect(buildBubblewrapCommand({ ...OPTIONS, compileCache: null })).not.toContain(
      '/opt/omnigent/compile-cache',
    ));
});

describe('buildEnvironmentArguments', () => {
  it('keeps every value as it is', () => {
    const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'));
    fc.assert(
      fc.property(fc.dictionary(text, text), (environment) => {
        const parts = buildEnvironmentArguments(environment).split('\0').slice(0, -1);
        const entries = Object.keys(environment).map((_, index) => parts.slice(index * 3, index * 3 + 3));
        expect(entries).toEqual(Object.entries(environment).map((entry) => ['--setenv', ...entry]));
      }),
    );
  });
});
