/** Prometheus metrics; label values come from closed sets only, so that no number of sandboxes adds a series. */
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { ERRORS } from '@omnigent/protocol';
import type { LaunchEnding } from '../lifecycle/service-options.ts';
import type { SandboxStore } from '../store/sandbox-store.ts';
import type { ConnectionRegistry } from '../tunnel/connection-registry.ts';

export interface Metrics {
  observeLaunch(ending: LaunchEnding): void;
  observeRequest(request: { readonly method: string; readonly route: string; readonly status: number }): void;
  /** All of them in Prometheus' text format. */
  render(): Promise<RenderedMetrics>;
}

export interface RenderedMetrics {
  readonly contentType: string;
  readonly text: string;
}

/** What gauges read. */
export interface MetricSources {
  readonly sandboxes: SandboxStore;
  readonly connections: ConnectionRegistry;
}

const LAUNCH_BUCKETS_S = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300];

/** Creates the metrics of one server. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const launches = new Counter({
    name: 'omnigent_launches_total',
    help: 'Launches by how they ended',
    labelNames: ['provider', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'omnigent_launch_duration_seconds',
    help: 'From the request to ready',
    labelNames: ['provider'],
    buckets: LAUNCH_BUCKETS_S,
    registers,
  });
  const requests = new Counter({
    name: 'omnigent_http_requests_total',
    help: 'Requests by route and status',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const gauge = (name: string, help: string, read: () => Promise<number> | number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  gauge('omnigent_sandboxes', 'Sandboxes with a record', () => sources.sandboxes.count());
  gauge('omnigent_hosts_connected', 'Hosts connected to this process', () => sources.connections.size);
  collectDefaultMetrics({ register: registry });
  return {
    observeLaunch({ provider, outcome, durationMs }) {
      const known = outcome === 'ready' || Object.hasOwn(ERRORS, outcome) ? outcome : 'other';
      launches.inc({ provider, outcome: known });
      if (outcome === 'ready') durations.observe({ provider }, durationMs / 1000);
    },
    observeRequest: ({ method, route, status }) => requests.inc({ method, route, status: String(status) }),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
