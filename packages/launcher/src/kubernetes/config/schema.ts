/** The section `sandbox.kubernetes`: every key with its rule. Strict: an unknown key is an error that names it. */
import { RESERVED_ENVIRONMENT, environmentValuesSchema } from '@omnigent/protocol';
import * as z from 'zod';
import { findOverlap, mountPathSchema } from './mount-path.ts';
import { labelKeySchema, labelNameSchema, labelValueSchema, subdomainSchema } from './names.ts';
import { quantitySchema } from './quantity.ts';

/** Whatever Kubernetes takes there; the API server checks it at the dry run. */
const anyObject = z.record(z.string(), z.unknown());
const seconds = z.number().positive().max(86_400);
const proxyUrl = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    'expected an http:// or https:// URL',
  );

const amountsSchema = z.record(
  z
    .string()
    .refine(
      (name) =>
        ['cpu', 'memory', 'ephemeral-storage'].includes(name) ||
        name.includes('/') ||
        name.startsWith('hugepages-'),
      'expected cpu, memory, ephemeral-storage or an extended resource',
    ),
  quantitySchema,
);

export const pvcMountSchema = z.strictObject({
  claim_name: subdomainSchema,
  mount_path: mountPathSchema,
  read_only: z.boolean().default(true),
});

export const secretMountSchema = z.strictObject({
  secret_name: subdomainSchema,
  mount_path: mountPathSchema,
});

export const tolerationSchema = z.strictObject({
  key: z.string().optional(),
  operator: z.enum(['Exists', 'Equal']).optional(),
  value: z.string().optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
  tolerationSeconds: z.int().min(0).optional(),
});

/** A ConfigMap or a Secret with extra roots in PEM. */
export const caBundleSchema = z
  .strictObject({
    config_map: subdomainSchema.optional(),
    secret: subdomainSchema.optional(),
    key: z
      .string()
      .regex(/^[-._a-zA-Z0-9]{1,253}$/, 'expected a key of the ConfigMap or Secret')
      .default('ca.crt'),
  })
  .refine(
    ({ config_map: configMap, secret }) => (configMap === undefined) !== (secret === undefined),
    'expected exactly one of config_map and secret',
  );

export const proxySchema = z.strictObject({
  http: proxyUrl.optional(),
  https: proxyUrl.optional(),
  no_proxy: z.string().optional(),
});

export const gitSchema = z.strictObject({
  depth: z.int().min(1).optional(),
  filter: z
    .string()
    .regex(/^[a-z0-9:=+,.%-]{1,64}$/, 'expected a filter such as blob:none')
    .optional(),
  submodules: z.boolean().default(false),
  lfs: z.enum(['skip', 'fetch']).default('skip'),
  /** Secret with the private key under `ssh-privatekey` and, optionally, `known_hosts`. */
  ssh_secret: subdomainSchema.optional(),
  /** Lines of a known_hosts file. */
  known_hosts: z.string().optional(),
});

const stageTimeoutsSchema = z.strictObject({
  scheduling: seconds.optional(),
  pulling: seconds.optional(),
  cloning: seconds.optional(),
  starting: seconds.optional(),
  connecting: seconds.optional(),
});

const environmentValues = environmentValuesSchema.refine(
  (values) => !RESERVED_ENVIRONMENT.some((name) => Object.hasOwn(values, name)),
  `must not set ${RESERVED_ENVIRONMENT.join(', ')}: the launcher sets them itself`,
);

export const kubernetesSectionSchema = z
  .strictObject({
    image: z.string().trim().min(1, 'expected an image, found an empty text').optional(),
    namespace: labelNameSchema.optional(),
    secret_name: subdomainSchema.optional(),
    service_account: subdomainSchema.optional(),
    env: z.array(z.string()).optional(),
    kubeconfig: z.string().min(1).optional(),
    in_cluster: z.boolean().optional(),
    node_selector: z.record(labelKeySchema, labelValueSchema).optional(),
    resources: z
      .strictObject({ requests: amountsSchema.optional(), limits: amountsSchema.optional() })
      .optional(),
    env_values: environmentValues.optional(),
    host_config: anyObject.optional(),
    pvc_mounts: z.array(pvcMountSchema).optional(),
    secret_mounts: z.array(secretMountSchema).optional(),
    tolerations: z.array(tolerationSchema).optional(),
    affinity: anyObject.optional(),
    topology_spread_constraints: z.array(anyObject).optional(),
    priority_class: subdomainSchema.optional(),
    runtime_class: subdomainSchema.optional(),
    image_pull_secrets: z.array(subdomainSchema).optional(),
    image_pull_policy: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
    labels: z.record(labelKeySchema, labelValueSchema).optional(),
    annotations: z.record(labelKeySchema, z.string()).optional(),
    /** `null` means unbounded. */
    home_size_limit: quantitySchema.nullable().optional(),
    pod_ready_timeout_s: seconds.optional(),
    stage_timeouts: stageTimeoutsSchema.optional(),
    host_users: z.boolean().optional(),
    workspace_prep: z.enum(['init', 'host']).optional(),
    inject_host: z.boolean().optional(),
    ca_bundle: caBundleSchema.optional(),
    proxy: proxySchema.optional(),
    git: gitSchema.optional(),
    pod_template: z.strictObject({ metadata: anyObject.optional(), spec: anyObject.optional() }).optional(),
  })
  .superRefine((section, context) => {
    const paths = [...(section.pvc_mounts ?? []), ...(section.secret_mounts ?? [])].map(
      ({ mount_path: path }) => path,
    );
    const overlap = findOverlap(paths);
    if (overlap !== undefined) {
      context.addIssue({
        code: 'custom',
        path: ['pvc_mounts'],
        message: `mount paths ${overlap[0]} and ${overlap[1]} are the same or nested in each other`,
      });
    }
  });
export type KubernetesSection = z.infer<typeof kubernetesSectionSchema>;
