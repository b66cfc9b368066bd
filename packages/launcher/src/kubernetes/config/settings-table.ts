/** The settings as data, for the reference page and for the environment overrides: one place for names and defaults. */
import type { KubernetesSection } from './schema.ts';

export interface Setting {
  readonly key: keyof KubernetesSection;
  readonly variable: string | null;
  readonly fallback: string | null;
  readonly rule: string;
}

/** The image that runs when none is configured. */
export const DEFAULT_HOST_IMAGE = 'ghcr.io/omnigent-ai/omnigent-host:latest';

const optional = (key: keyof KubernetesSection, rule: string): Setting => ({
  key,
  variable: null,
  fallback: null,
  rule,
});

export const SETTINGS: readonly Setting[] = [
  {
    key: 'image',
    variable: 'OMNIGENT_KUBERNETES_HOST_IMAGE',
    fallback: DEFAULT_HOST_IMAGE,
    rule: 'non-empty',
  },
  {
    key: 'namespace',
    variable: 'OMNIGENT_KUBERNETES_NAMESPACE',
    fallback: 'omnigent-sandboxes',
    rule: 'RFC 1123 label, at most 63',
  },
  {
    key: 'secret_name',
    variable: 'OMNIGENT_KUBERNETES_SECRET',
    fallback: null,
    rule: 'RFC 1123 subdomain, at most 253',
  },
  {
    key: 'service_account',
    variable: 'OMNIGENT_KUBERNETES_SERVICE_ACCOUNT',
    fallback: 'omnigent-runner',
    rule: 'RFC 1123 subdomain',
  },
  {
    key: 'env',
    variable: 'OMNIGENT_KUBERNETES_SANDBOX_ENV',
    fallback: null,
    rule: 'names of server variables copied into the Pod; comma-separated in the variable',
  },
  {
    key: 'kubeconfig',
    variable: 'OMNIGENT_KUBERNETES_KUBECONFIG',
    fallback: 'ambient',
    rule: 'used when in-cluster configuration is not',
  },
  optional('in_cluster', 'true: in-cluster only; false: kubeconfig only; unset: in-cluster, then kubeconfig'),
  {
    key: 'node_selector',
    variable: null,
    fallback: 'kubernetes.io/arch: amd64',
    rule: 'labels, merged over the default',
  },
  {
    key: 'resources',
    variable: null,
    fallback: 'requests 500m/1Gi, limits 2/4Gi',
    rule: 'requests and limits of cpu, memory, ephemeral-storage and extended resources; an omitted field keeps its default; no request above its limit',
  },
  optional('env_values', 'literal variables of the Pod; not for credentials'),
  optional('host_config', "merged into the host's ~/.omnigent/config.yaml before it starts"),
  optional('pvc_mounts', 'claim_name, mount_path, read_only (default true); host container only'),
  optional(
    'secret_mounts',
    'secret_name, mount_path; read-only files, so that a rotated credential is seen; host container only',
  ),
  optional('tolerations', 'as in a Pod'),
  optional('affinity', 'as in a Pod'),
  optional('topology_spread_constraints', 'as in a Pod'),
  optional('priority_class', 'RFC 1123 subdomain'),
  optional('runtime_class', 'RFC 1123 subdomain'),
  optional('image_pull_secrets', 'names of Secrets'),
  optional('image_pull_policy', 'Always, IfNotPresent or Never'),
  optional('labels', 'more labels of the Pod; those of the launcher cannot be set'),
  optional('annotations', 'more annotations'),
  { key: 'home_size_limit', variable: null, fallback: '8Gi', rule: 'quantity; null means unbounded' },
  {
    key: 'pod_ready_timeout_s',
    variable: null,
    fallback: '90',
    rule: 'seconds until the host container runs',
  },
  optional('stage_timeouts', 'seconds for scheduling, pulling, cloning, starting, connecting'),
  optional('host_users', 'false: a user namespace for the Pod'),
  {
    key: 'workspace_prep',
    variable: 'OMNIGENT_KUBERNETES_WORKSPACE_PREP',
    fallback: 'host',
    rule: 'host: the host clones after it has connected; init (default with inject_host): an init container clones before',
  },
  optional(
    'inject_host',
    'true, or a mapping with the host image as `image`: `image` is then any image with a shell; an init container copies tini, Node.js and the host into it',
  ),
  optional('ca_bundle', 'config_map or secret, and key (default ca.crt): extra roots for clone and host'),
  optional('proxy', 'http, https, no_proxy: for clone and host; URLs without user info'),
  optional('git', 'depth, filter, submodules, lfs (skip or fetch), ssh_secret, known_hosts'),
  optional('pod_template', 'PodTemplateSpec fragment, merged under what the launcher fixes'),
];
