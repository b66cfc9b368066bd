import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseRepository } from '@omnigent/protocol';
import { buildTestPod, findTestContainer, readScript } from './testing/build-test-pod.ts';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'omnigent-scripts-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Runs the script of a container with directories of the test in place of the sandbox's, and fakes first in the PATH. */
function run(script: string, { programs = {}, env = {} }: RunOptions = {}) {
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(directory, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(directory, name), 0o755);
  }
  const local = script.replaceAll('/home/omnigent', join(directory, 'home'));
  const result = spawnSync('bash', ['-c', local], {
    encoding: 'utf8',
    env: { ...process.env, ...env, PATH: `${directory}:${process.env['PATH']}`, D: directory },
  });
  return { status: result.status, stdout: result.stdout, stderr: result.stderr };
}

interface RunOptions {
  readonly programs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

const repositories = [parseRepository('https://git.example.com/a/app.git#main')];
const prepScript = (section: object = {}) =>
  readScript(buildTestPod({ workspace_prep: 'init', ...section }, { repositories }), 'workspace-prep');

describe('the script of workspace-prep', () => {
  it('clones again while the network is not there yet', () => {
    const programs = {
      git: 'echo x >> "$D/calls"; [ $(wc -l < "$D/calls") = 3 ] && exit 0\necho "fatal: Failed to connect to git.example.com port 443" >&2; exit 128',
      sleep: 'echo "slept $1" >> "$D/sleeps"',
    };
    const { status, stderr } = run(prepScript(), { programs });
    expect(status).toBe(0);
    expect(readFileSync(join(directory, 'sleeps'), 'utf8')).toBe('slept 1\nslept 2\n');
    expect(stderr).toContain('Failed to connect to git.example.com port 443\ntrying again in 2 s');
  });

  it("ends at once with git's own status and text when trying again would not help", () => {
    const programs = { git: 'echo "fatal: Remote branch main not found" >&2; exit 128' };
    expect(run(prepScript(), { programs })).toEqual({
      status: 128,
      stdout: '',
      stderr: 'fatal: Remote branch main not found\n',
    });
  });

  it('gives up with the last error after five tries', () => {
    const programs = { git: 'echo "Connection refused" >&2; exit 7', sleep: 'exit 0' };
    const { status, stderr } = run(prepScript(), { programs });
    expect(status).toBe(7);
    expect(stderr.match(/Connection refused/g)).toHaveLength(5);
  });

  it('leaves large files to git-lfs, and fetches them when it is asked to', () => {
    const programs = { git: 'echo "${GIT_LFS_SKIP_SMUDGE-unset} $*" >> "$D/calls"' };
    const readCalls = () => readFileSync(join(directory, 'calls'), 'utf8');
    run(prepScript(), { programs });
    expect(readCalls()).toMatch(/^1 clone [^\n]+\n$/);
    run(prepScript({ git: { lfs: 'fetch' } }), { programs });
    expect(readCalls()).toMatch(/\n1 clone [^\n]+\n\S+ -C \S+\/workspace\/app lfs pull\n$/);
  });

  it('gives git the words of the repository unchanged', () => {
    const odd = [parseRepository("https://git.example.com/a/$(id)'%20%22b.git")];
    const script = readScript(
      buildTestPod({ workspace_prep: 'init' }, { repositories: odd }),
      'workspace-prep',
    );
    run(script, { programs: { git: `printf '%s\\n' "$@" > "$D/words"` } });
    expect(readFileSync(join(directory, 'words'), 'utf8').split('\n').slice(0, 4)).toEqual([
      'clone',
      '--',
      "https://git.example.com/a/$(id)'%20%22b.git",
      `${directory}/home/workspace/$(id)' "b`,
    ]);
  });
});

describe('the script of the host', () => {
  const programs = { tini: 'printf "%s\\n" "$@"; env > "$D/env"' };

  it('makes the workspace and becomes tini with the host', () => {
    expect(run(readScript(buildTestPod(), 'host'), { programs })).toEqual({
      status: 0,
      stdout: '-s\n--\nomnigent\nhost\n--server\nhttp://server:8080/\n',
      stderr: '',
    });
    expect(execFileSync('ls', [join(directory, 'home')], { encoding: 'utf8' })).toBe('workspace\n');
  });

  it('writes host_config byte for byte, merged with that of the request, and hides the variable', () => {
    const configured = { a: 'it\'s $(x) `y` "é"\n', b: { c: 1, d: [1] } };
    const pod = buildTestPod({ host_config: configured }, { hostConfig: { b: { d: [2] } } });
    const variable = findTestContainer(pod, 'host').env?.find(({ name }) => name === 'OMNIGENT_HOST_CONFIG');
    run(readScript(pod, 'host'), { programs, env: { OMNIGENT_HOST_CONFIG: variable?.value ?? '' } });
    expect(readFileSync(join(directory, 'home/.omnigent/config.yaml'), 'utf8')).toBe(
      JSON.stringify({ a: configured.a, b: { c: 1, d: [2] } }),
    );
    expect(readFileSync(join(directory, 'env'), 'utf8')).not.toContain('OMNIGENT_HOST_CONFIG');
  });

  it('gives ssh known hosts and never lets it ask', () => {
    const knownHosts = "git.example.com ssh-ed25519 AAAA it's";
    run(readScript(buildTestPod({ git: { known_hosts: knownHosts } }), 'host'), { programs });
    expect(readFileSync(join(directory, 'home/.ssh/omnigent_known_hosts'), 'utf8')).toBe(`${knownHosts}\n`);
    expect(readFileSync(join(directory, 'env'), 'utf8')).toMatch(
      /GIT_SSH_COMMAND=ssh -o BatchMode=yes .*StrictHostKeyChecking=yes/,
    );
  });

  it('copies the ssh key for the owner only', () => {
    const script = readScript(buildTestPod({ git: { ssh_secret: 's' } }), 'host');
    writeFileSync(join(directory, 'ssh-privatekey'), 'key', { mode: 0o440 });
    run(script.replaceAll('/run/omnigent/ssh', directory), { programs });
    const key = join(directory, 'home/.ssh/omnigent_key');
    expect(execFileSync('stat', ['-c', '%a', key], { encoding: 'utf8' })).toBe('600\n');
  });

  it("puts extra roots beside the system's", () => {
    const script = readScript(buildTestPod({ ca_bundle: { config_map: 'c' } }), 'host');
    writeFileSync(join(directory, 'ca.crt'), 'OWN ROOT\n');
    run(script.replaceAll('/run/omnigent/ca', directory), { programs });
    expect(readFileSync(join(directory, 'home/.omnigent/ca.pem'), 'utf8')).toMatch(/OWN ROOT\n$/);
    expect(readFileSync(join(directory, 'env'), 'utf8')).toContain(
      `NODE_EXTRA_CA_CERTS=${directory}/ca.crt\n`,
    );
  });
});
