import type { LaunchRequest } from '../../port/launcher.ts';

const PROBE_SECONDS = 300;

/** The launch that checks are made with: nothing to clone, and of nobody. */
export function buildProbeRequest(serverUrl: string): LaunchRequest {
  return {
    sandboxId: '',
    hostId: 'h000000000000',
    hostName: 'doctor',
    token: '',
    serverUrl,
    repositories: [],
    owner: '',
    env: {},
    lifetimeSeconds: PROBE_SECONDS,
  };
}
