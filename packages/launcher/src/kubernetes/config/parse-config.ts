/** Section, environment and defaults become one frozen configuration; a typo is found here and never at the first launch. */
import { SandboxError } from '@omnigent/protocol';
import type * as z from 'zod';
import { findPassthroughFault } from './passthrough.ts';
import { kubernetesSectionSchema } from './schema.ts';
import type { KubernetesSection } from './schema.ts';
import { resolveResources } from './resources.ts';
import type { Resources } from './resources.ts';
import { DEFAULT_HOST_IMAGE, SETTINGS } from './settings-table.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration with every default filled in; optional parts stay undefined. */
export interface KubernetesConfig
  extends Readonly<
    Omit<
      KubernetesSection,
      | 'image'
      | 'namespace'
      | 'service_account'
      | 'env'
      | 'node_selector'
      | 'resources'
      | 'home_size_limit'
      | 'pod_ready_timeout_s'
      | 'workspace_prep'
      | 'inject_host'
    >
  > {
  readonly image: string;
  readonly namespace: string;
  readonly service_account: string;
  /** Values of the passthrough variables, read from the server's environment. */
  readonly passthrough: Readonly<Record<string, string>>;
  readonly node_selector: Readonly<Record<string, string>>;
  readonly resources: Resources;
  readonly home_size_limit: string | null;
  readonly pod_ready_timeout_s: number;
  readonly workspace_prep: 'init' | 'host';
  /** The image that the host is copied from; null when `image` carries it itself. */
  readonly inject_host: { readonly image: string } | null;
}

const NODE_SELECTOR = { 'kubernetes.io/arch': 'amd64' };

/**
 * Reads the section `sandbox.kubernetes`. Precedence: the section, then environment variables, then defaults.
 *
 * @throws SandboxError `invalid_config` that names the key or the variable, what was expected and what is wrong.
 */
export function parseKubernetesConfig(section: unknown, environment: Environment): KubernetesConfig {
  const explicit = parseSection(section ?? {}, (path) => `sandbox.kubernetes${path}`);
  const merged = { ...readOverrides(explicit, environment), ...explicit };
  const { env = [], resources, ...rest } = merged;
  const injection = resolveInjection(rest.inject_host);
  const config: KubernetesConfig = {
    ...rest,
    image: rest.image ?? DEFAULT_HOST_IMAGE,
    namespace: rest.namespace ?? 'omnigent-sandboxes',
    service_account: rest.service_account ?? 'omnigent-runner',
    passthrough: readPassthrough(env, {
      environment,
      source: explicit.env === undefined ? 'OMNIGENT_KUBERNETES_SANDBOX_ENV' : 'sandbox.kubernetes.env',
    }),
    node_selector: { ...NODE_SELECTOR, ...rest.node_selector },
    resources: resolveResources(resources),
    home_size_limit: rest.home_size_limit === undefined ? '8Gi' : rest.home_size_limit,
    pod_ready_timeout_s: rest.pod_ready_timeout_s ?? 90,
    // An injected host comes with an init container anyway, and its git is there whatever the image has.
    workspace_prep: rest.workspace_prep ?? (injection === null ? 'host' : 'init'),
    inject_host: injection,
  };
  // A copy: what the caller passed stays as it was.
  return deepFreeze(structuredClone(config));
}

/** Environment variables go through the same validators; their errors name the variable. */
function readOverrides(explicit: KubernetesSection, environment: Environment): KubernetesSection {
  const overrides: Record<string, unknown> = {};
  for (const { key, variable } of SETTINGS) {
    const text = variable === null ? undefined : environment[variable];
    if (text === undefined || explicit[key] !== undefined) continue;
    const value = key === 'env' ? splitNames(text) : text;
    parseSection({ [key]: value }, () => variable ?? '');
    overrides[key] = value;
  }
  return kubernetesSectionSchema.parse(overrides);
}

function resolveInjection(section: KubernetesSection['inject_host']): { readonly image: string } | null {
  if (section === undefined || section === false) return null;
  return section === true ? { image: DEFAULT_HOST_IMAGE } : section;
}

function splitNames(text: string): string[] {
  return (
    text
      .split(',')
      // Blanks around a name only: a newline makes it invalid.
      .map((name) => name.replaceAll(/^[ \t]+|[ \t]+$/g, ''))
      .filter((name) => name !== '')
  );
}

function readPassthrough(
  names: readonly string[],
  options: { readonly environment: Environment; readonly source: string },
): Record<string, string> {
  const { environment, source } = options;
  return Object.fromEntries(
    names.map((name) => {
      const fault = findPassthroughFault(name, environment);
      if (fault !== undefined) throw new SandboxError('invalid_config', `${source}: ${fault}`);
      return [name, environment[name] ?? ''];
    }),
  );
}

function parseSection(value: unknown, toSource: (path: string) => string): KubernetesSection {
  const result = kubernetesSectionSchema.safeParse(value);
  if (result.success) return result.data;
  throw new SandboxError('invalid_config', renderIssue(result.error.issues, toSource));
}

function renderIssue(issues: readonly z.core.$ZodIssue[], toSource: (path: string) => string): string {
  const [issue] = issues;
  const path = (issue?.path ?? []).map((part) => `.${String(part)}`).join('');
  if (issue?.code === 'unrecognized_keys') return `${toSource(path)}: unknown key ${issue.keys.join(', ')}`;
  return `${toSource(path)}: ${issue?.message ?? 'not valid'}`;
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
