import { describe, expect, it } from 'vitest';
import { parseKubernetesConfig } from '../config/parse-config.ts';
import { buildPrepare, checkRepositories, resolveWorkspace } from './build-launch.ts';

const app = { url: 'https://git.example/team/app.git', branch: 'main', directory: 'app' };
const lib = { url: 'git@git.example:team/lib.git', directory: 'lib' };

describe('the workspace of a launch', () => {
  it('is the clone of a single repository, and the directory above several or none', () => {
    expect(resolveWorkspace([app])).toBe('/home/omnigent/workspace/app');
    expect(resolveWorkspace([app, lib])).toBe('/home/omnigent/workspace');
    expect(resolveWorkspace([])).toBe('/home/omnigent/workspace');
  });

  it('is asked of the host with the options of git', () => {
    const config = parseKubernetesConfig(
      { git: { depth: 1, filter: 'blob:none' }, stage_timeouts: { cloning: 60 } },
      {},
    );
    expect(buildPrepare(config, [app, lib])).toEqual({
      repositories: [app, lib],
      git: { submodules: false, lfs: 'skip', depth: 1, filter: 'blob:none' },
      timeout_seconds: 60,
    });
  });

  it('is asked for also after an init container has cloned, so that programs start in it; without repositories it is not', () => {
    const init = parseKubernetesConfig({ workspace_prep: 'init' }, {});
    expect(buildPrepare(init, [])).toBeNull();
    expect(buildPrepare(init, [app])?.repositories).toHaveLength(1);
  });

  it('is never cloned from a path of the machine of the server', () => {
    expect(() => checkRepositories([app, lib])).not.toThrow();
    expect(() => checkRepositories([{ url: '/srv/app', directory: 'app' }])).toThrow(
      /"\/srv\/app" is a path/,
    );
  });
});
