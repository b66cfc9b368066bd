/** A launcher for benchmarks: hosts of one crowd share a process, so that hundreds fit on a machine; one by name has its own. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildDiagnosis } from '@omnigent/launcher';
import type {
  CallOptions,
  LaunchRequest,
  SandboxLauncher,
  StartHostOptions,
  StartedHost,
} from '@omnigent/launcher';
import { HOST_ENVIRONMENT, SandboxError } from '@omnigent/protocol';
import type { Diagnosis } from '@omnigent/protocol';
import { BUNDLE_FOLDER } from '../../../scripts/bundle/bundles.ts';

/** Name of the sandbox whose host has a process of its own. */
export const ALONE = 'alone';
const CROWD = fileURLToPath(new URL('crowd-hosts.ts', import.meta.url));

export class CrowdLauncher implements SandboxLauncher {
  readonly provider = 'local';
  readonly capabilities = {
    cli_bootstrap: false,
    local_port_forward: false,
    suspend: false,
    resume: false,
    durable_home: false,
    local_repositories: true,
    isolation: false,
  };
  readonly #directory: string;
  #alone: ChildProcess | undefined;
  #crowd: ChildProcess | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  validate(): void {}

  async provision(name: string): Promise<string> {
    return name;
  }

  async startHost(
    providerId: string,
    request: LaunchRequest,
    { onStage }: StartHostOptions,
  ): Promise<StartedHost> {
    onStage('starting');
    const home = join(this.#directory, providerId);
    await mkdir(home, { recursive: true });
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      [HOST_ENVIRONMENT.token]: request.token,
      [HOST_ENVIRONMENT.id]: request.hostId,
      [HOST_ENVIRONMENT.name]: request.hostName,
    };
    if (providerId.includes(ALONE)) this.#startAlone(request.serverUrl, env);
    else this.#openCrowd().stdin?.write(`${JSON.stringify({ serverUrl: request.serverUrl, env })}\n`);
    const prepare = {
      repositories: [],
      git: { submodules: false, lfs: 'skip' as const },
      timeout_seconds: 60,
    };
    return { workspace: join(home, 'workspace'), prepare, warnings: [] };
  }

  /** A host that does not come is noticed by the launch's own time limit. */
  async watchHost(_providerId: string, { signal }: CallOptions): Promise<Diagnosis> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return buildDiagnosis({ code: 'host_exited', message: 'the host did not come', stage: 'connecting' });
  }

  async terminate(): Promise<void> {}

  async inspect() {
    return { state: 'running' } as const;
  }

  async *list() {}

  async preflight() {
    return [];
  }

  async plan() {
    return { manifests: [] };
  }

  async suspend(): Promise<never> {
    throw new SandboxError('invalid_request', 'a crowd is not suspended');
  }

  async resume(): Promise<never> {
    throw new SandboxError('invalid_request', 'a crowd is not resumed');
  }

  async close(): Promise<void> {
    // The crowd's programs end with their pipes; hundreds of hosts that look for processes at once run out of descriptors.
    this.#crowd?.kill('SIGKILL');
    this.#alone?.kill('SIGTERM');
  }

  #startAlone(serverUrl: string, env: Record<string, string>): void {
    const args = [`${BUNDLE_FOLDER}/host/main.js`, '--server', serverUrl];
    this.#alone = spawn(process.execPath, args, { env, stdio: 'ignore' });
  }

  #openCrowd(): ChildProcess {
    if (this.#crowd !== undefined) return this.#crowd;
    const args = ['--conditions=source', CROWD];
    return (this.#crowd = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'] }));
  }
}
