/** `host_config` of the operator with that of the request over it, as the host will read it. */
import type { PodOptions } from './pod-options.ts';

type Mapping = Readonly<Record<string, unknown>>;

const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Mappings are merged key by key; everything else is replaced. */
function mergeMappings(under: Mapping, over: Mapping): Mapping {
  const entries = Object.entries(over).map(([key, value]): [string, unknown] => {
    const old = under[key];
    return [key, isMapping(old) && isMapping(value) ? mergeMappings(old, value) : value];
  });
  return { ...under, ...Object.fromEntries(entries) };
}

/** The text of `~/.omnigent/config.yaml` (JSON is YAML); undefined when nobody configures the host. */
export function renderHostConfig({
  config,
  hostConfig,
}: Pick<PodOptions, 'config' | 'hostConfig'>): string | undefined {
  if (config.host_config === undefined && hostConfig === undefined) return undefined;
  return JSON.stringify(mergeMappings(config.host_config ?? {}, hostConfig ?? {}));
}
