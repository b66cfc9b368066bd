/** The section `sandbox.kubernetes`: every key with its rule. Strict: an unknown key is an error that names it. */
import { RESERVED_ENVIRONMENT, environmentValuesSchema } from '@omnigent/protocol';
import * as z from 'zod';
import { findTemplateFault } from '../pod-template/find-template-fault.ts';
import { findAnnotationFault, isOwnLabel } from '../pod-template/own-metadata.ts';
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
  )
  .refine(
    (text) => !URL.canParse(text) || (new URL(text).username === '' && new URL(text).password === ''),
    'carries user info, which anyone who may read the Pod would see: put HTTPS_PROXY into the Secret named by secret_name',
  );

/** Image references have no white space; `Reg.Example/App` and the like are the registry's to judge. */
const imageSchema = z
  .string()
  .regex(/^[^\s\p{Cc}]+(?![\s\S])/u, 'expected an image reference, found an empty text or white space');

const injectSchema = z.union([z.boolean(), z.strictObject({ image: imageSchema })], {
  error: 'expected true, false or a mapping with the image that carries the host',
});

const labelsSchema = z.record(labelKeySchema, labelValueSchema).superRefine((labels, context) => {
  for (const key of Object.keys(labels).filter(isOwnLabel))
    context.addIssue({ code: 'custom', path: [key], message: 'is set by the launcher; remove it' });
});

const annotationsSchema = z.record(labelKeySchema, z.string()).superRefine((annotations, context) => {
  const fault = findAnnotationFault(annotations, []);
  if (fault !== undefined)
    context.addIssue({ code: 'custom', path: [...fault.path], message: fault.problem });
});

const podTemplateSchema = z
  .strictObject({ metadata: anyObject.optional(), spec: anyObject.optional() })
  .superRefine((template, context) => {
    const fault = findTemplateFault(template);
    if (fault !== undefined)
      context.addIssue({ code: 'custom', path: [...fault.path], message: fault.problem });
  });

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

export const tolerationSchema = z
  .strictObject({
    key: z.string().optional(),
    operator: z.enum(['Exists', 'Equal']).optional(),
    value: z.string().optional(),
    effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
    tolerationSeconds: z.int().min(0).optional(),
  })
  .superRefine((toleration, context) => {
    const fault = findTolerationFault(toleration);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });

interface Toleration {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly value?: string | undefined;
  readonly effect?: string | undefined;
  readonly tolerationSeconds?: number | undefined;
}

/** What the API server would refuse at the first launch. */
function findTolerationFault({
  key,
  operator,
  value,
  effect,
  tolerationSeconds,
}: Toleration): string | undefined {
  if (operator === 'Exists' && value !== undefined && value !== '') return 'operator Exists takes no value';
  if ((key === undefined || key === '') && operator !== 'Exists')
    return 'a toleration without a key needs the operator Exists';
  if (tolerationSeconds !== undefined && effect !== 'NoExecute')
    return 'tolerationSeconds needs the effect NoExecute';
  return undefined;
}

/** A ConfigMap or a Secret with extra roots in PEM. */
export const caBundleSchema = z
  .strictObject({
    config_map: subdomainSchema.optional(),
    secret: subdomainSchema.optional(),
    key: z
      .string()
      .regex(/^(?!\.{1,2}$)[-._a-zA-Z0-9]{1,253}(?![\s\S])/, 'expected a key of the ConfigMap or Secret')
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
    image: imageSchema.optional(),
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
    labels: labelsSchema.optional(),
    annotations: annotationsSchema.optional(),
    /** `null` means unbounded. */
    home_size_limit: quantitySchema.nullable().optional(),
    pod_ready_timeout_s: seconds.optional(),
    stage_timeouts: stageTimeoutsSchema.optional(),
    host_users: z.boolean().optional(),
    workspace_prep: z.enum(['init', 'host']).optional(),
    inject_host: injectSchema.optional(),
    ca_bundle: caBundleSchema.optional(),
    proxy: proxySchema.optional(),
    git: gitSchema.optional(),
    pod_template: podTemplateSchema.optional(),
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
