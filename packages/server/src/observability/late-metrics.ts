/** Metrics whose library is loaded when the server has started: nobody scrapes a server that is not ready. */
import type { Clock } from '@omnigent/protocol';
import type { MetricSources, Metrics } from './metrics.ts';

/** Long after the first launch that a start of the server waits for. */
const LOAD_AFTER_MS = 2_000;

/** The same as `createMetrics`; what is observed before the library is there is counted once it is. */
export function createLateMetrics(sources: MetricSources, clock: Clock): Metrics {
  let loading: Promise<Metrics> | undefined;
  let loaded: Metrics | undefined;
  const waiting: ((metrics: Metrics) => void)[] = [];
  const load = () =>
    (loading ??= import('./metrics.ts').then(({ createMetrics }) => {
      loaded = createMetrics(sources);
      for (const observe of waiting.splice(0)) observe(loaded);
      return loaded;
    }));
  const observe = (observation: (metrics: Metrics) => void) => {
    if (loaded === undefined) waiting.push(observation);
    else observation(loaded);
  };
  void clock.sleep(LOAD_AFTER_MS, { unref: true }).then(load);
  return {
    observeLaunch: (ending) => observe((metrics) => metrics.observeLaunch(ending)),
    observeRequest: (request) => observe((metrics) => metrics.observeRequest(request)),
    render: async () => await (await load()).render(),
  };
}
