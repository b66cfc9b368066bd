/**
 * The one registry of error codes. Every failure that leaves a package is a {@link SandboxError} with one of these
 * codes; the HTTP status, whether a retry can help and the advice come from here and nowhere else.
 */

interface ErrorEntry {
  /** HTTP status of the problem document. */
  readonly status: number;
  /** Whether the same request can succeed later without a change by the caller. */
  readonly retryable: boolean;
  readonly title: string;
  /** What to do next, for everyone who meets this code. */
  readonly advice: string;
}

const entry = (status: number, title: string, advice: string): ErrorEntry => ({
  status,
  retryable: false,
  title,
  advice,
});
const transient = (status: number, title: string, advice: string): ErrorEntry => ({
  status,
  retryable: true,
  title,
  advice,
});

/** Requests: what a caller of the API or the command got wrong. */
const REQUEST_ERRORS = {
  invalid_request: entry(400, 'The request is not valid', 'Correct the field that the message names.'),
  invalid_repository: entry(
    400,
    'The repository is not valid',
    'Write https://HOST/PATH or git@HOST:PATH, optionally #BRANCH.',
  ),
  invalid_config: entry(
    500,
    'The configuration is not valid',
    'Correct the key or variable that the message names, then start again.',
  ),
  usage: entry(400, 'The command line is not valid', 'See --help of the command.'),
  unauthenticated: entry(
    401,
    'The request carries no valid token',
    'Send Authorization: Bearer TOKEN; see OMNIGENT_TOKEN and --token-file.',
  ),
  permission_denied: entry(403, 'The token lacks the right', 'Use a token whose scopes include this call.'),
  route_not_found: entry(404, 'There is no such path', 'See /openapi.json for the paths of this server.'),
  sandbox_not_found: entry(404, 'There is no such sandbox', 'List yours with: omnigent ls'),
  connection_reset: entry(
    502,
    'The connection to the program broke',
    'Connect again; what was under way is lost, as with any TCP connection.',
  ),
  port_not_listening: entry(
    502,
    'Nothing in the sandbox listens on the port',
    'Start the program first; omnigent ports SANDBOX lists what listens.',
  ),
  preview_closed: entry(
    401,
    'The preview is not open to this browser',
    'Open it with the address that omnigent preview SANDBOX PORT prints; programs send Authorization: Bearer TOKEN.',
  ),
  preview_unavailable: entry(
    501,
    'The server has no domain for previews',
    'Set server.preview_domain, or use omnigent forward SANDBOX PORT.',
  ),
  preview_answer: entry(
    502,
    'The program on the port does not speak HTTP',
    'Check the port: omnigent ports SANDBOX. A program that speaks something else, or https, is reached with omnigent forward.',
  ),
  process_not_found: entry(
    404,
    'There is no such process in the sandbox',
    'List them with: omnigent ps SANDBOX',
  ),
  file_not_found: entry(
    404,
    'There is no such file in the sandbox',
    'Check the path; relative paths start at the workspace.',
  ),
  idempotency_conflict: entry(
    409,
    'The idempotency key was used with another request',
    'Use a fresh Idempotency-Key for a different request.',
  ),
  sandbox_exists: entry(
    409,
    'A sandbox of this name exists',
    'Choose another name, or remove the old one with: omnigent rm NAME',
  ),
  sandbox_not_ready: transient(
    409,
    'The sandbox is not ready',
    'Wait until its Ready condition is True: omnigent events SANDBOX',
  ),
  sandbox_terminated: entry(410, 'The sandbox was terminated', 'Launch a new one.'),
  host_conflict: entry(
    409,
    'Another run of the host is connected',
    'A sandbox has one host process; launch a new sandbox.',
  ),
  host_offline: transient(
    503,
    'The host of the sandbox is not connected',
    'It reconnects by itself; try again.',
  ),
  host_protocol: entry(
    502,
    'The host answered with something unexpected',
    'Use a host image of the same version as the server.',
  ),
  host_unsupported: entry(
    501,
    'The host cannot do this',
    'Use a host image of the same version as the server.',
  ),
  capability: entry(501, 'The provider cannot do this', 'Choose a provider that can; see its documentation.'),
  too_large: entry(413, 'The request is too large', 'Send less at once.'),
  too_many_requests: transient(429, 'Too many requests', 'Wait as long as Retry-After says.'),
  internal: entry(500, 'The server failed', 'See its log for the request id.'),
  store_unavailable: transient(503, 'The store cannot be reached', 'Check the database, then try again.'),
  shutting_down: transient(503, 'The server is shutting down', 'Try again; another process takes over.'),
  server_unreachable: transient(
    503,
    'The server cannot be reached',
    'Check --server, and that the server is running.',
  ),
  server_certificate: entry(
    502,
    'The certificate of the server does not verify',
    'Give its root with --ca-bundle or OMNIGENT_CA_BUNDLE.',
  ),
  server_answer: entry(
    502,
    'The server answered with something unexpected',
    'Check that --server points to an Omnigent server of this version.',
  ),
  server_start: entry(500, 'The embedded server did not start', 'See its log, which the message names.'),
  canceled: entry(499, 'The operation was cancelled', 'Nothing is left behind.'),
  timeout: transient(504, 'The operation took too long', 'Try again, or raise the time limit.'),
} as const satisfies Record<string, ErrorEntry>;

/** Processes and files inside a sandbox. */
const HOST_ERRORS = {
  program_not_found: entry(422, 'The program was not found', 'Check its name and PATH inside the sandbox.'),
  program_not_executable: entry(
    422,
    'The program cannot be executed',
    'Check its permissions, its format and the directory it starts in.',
  ),
  process_conflict: entry(409, 'A process of this id runs something else', 'Choose a fresh process id.'),
  process_ended: entry(409, 'The process has ended', 'Start another one.'),
  input_offset: entry(
    409,
    'The input starts past what was received',
    'Send from the offset that the message names.',
  ),
  input_closed: entry(
    409,
    'The input of the process is closed',
    'Start the process with stdin "pipe" and send before end of input.',
  ),
  not_driver: entry(
    409,
    'Another viewer types',
    'Take its place with: omnigent attach --take SANDBOX PROCESS',
  ),
  no_terminal: entry(409, 'The process has no terminal', 'Start it with pty.'),
  path_forbidden: entry(
    403,
    'The path is outside what the sandbox user may touch',
    'Use a path that the user of the sandbox may read or write.',
  ),
  file_conflict: entry(409, 'The path is of another kind', 'Check whether it is a file or a directory.'),
  file_changed: entry(412, 'The file is no longer what it was', 'Read it again from its beginning.'),
  local_file: entry(
    400,
    'A file of this machine cannot be read or written',
    'Check that the path is there, of the right kind, and yours to use.',
  ),
  archive_invalid: entry(
    422,
    'The archive cannot be packed or unpacked',
    'Give a whole tar stream of files, directories and links; what came before the fault is there.',
  ),
  range_outside: entry(416, 'The range is outside the file', 'Ask for bytes that the file has.'),
  disk_full: entry(
    507,
    'The disk of the sandbox is full',
    'Remove files, or launch with a larger home_size_limit.',
  ),
  too_many_processes: entry(429, 'The sandbox runs too many processes', 'End some of them first.'),
  workspace_conflict: entry(
    409,
    'The workspace exists with other repositories',
    'Launch another sandbox for other repositories.',
  ),
  clone_failed: entry(
    422,
    'The repository could not be cloned',
    "Read git's own text above; check address, branch and credentials.",
  ),
  clone_branch_not_found: entry(
    422,
    'The branch does not exist in the repository',
    'Check the name after #.',
  ),
  clone_repository_not_found: entry(
    422,
    'The repository was not found',
    'Check the address, and that the credentials may read it.',
  ),
  clone_unauthorized: entry(
    422,
    'The repository needs credentials',
    'Put GIT_TOKEN (and GIT_USERNAME) into the Secret named by secret_name.',
  ),
  clone_certificate: entry(
    422,
    "The git server's certificate does not verify",
    'Give its root as ca_bundle.',
  ),
  clone_unreachable: transient(
    422,
    'The git server cannot be reached',
    'Check the address, network policy and proxy.',
  ),
  clone_out_of_memory: entry(
    422,
    'The clone ran out of memory',
    'Raise resources.limits.memory, or use git.depth or git.filter.',
  ),
  clone_timeout: transient(
    422,
    'The clone took too long',
    'Raise stage_timeouts.cloning, or use git.depth or git.filter.',
  ),
  git_missing: entry(422, 'There is no git in the sandbox', 'Use an image that carries git.'),
  git_lfs_missing: entry(
    422,
    'There is no git-lfs in the sandbox',
    'Use an image that carries git-lfs, or set git.lfs to skip.',
  ),
} as const satisfies Record<string, ErrorEntry>;

/** Launches: what ends one. Their status is that of the launch's own record, not of a request. */
const LAUNCH_ERRORS = {
  launch_failed: entry(500, 'The launch failed', 'Read the evidence of the diagnosis.'),
  launch_interrupted: transient(500, 'The server stopped during the launch', 'Launch again.'),
  host_exited: entry(500, 'The host ended before it was connected', "Read the host's log above."),
  host_out_of_memory: entry(500, 'The host was killed for memory', 'Raise resources.limits.memory.'),
  host_connect_timeout: entry(
    500,
    'The host did not connect in time',
    'Check that a sandbox can reach the server URL: omnigent doctor --deep',
  ),
  host_lost: entry(500, 'The host is gone', 'Launch again; the diagnosis says how it ended.'),
  image_name_invalid: entry(500, 'The image name is not valid', 'Correct sandbox.kubernetes.image.'),
  image_not_found: entry(
    500,
    'The image was not found',
    'Check sandbox.kubernetes.image and that it was pushed.',
  ),
  image_unauthorized: entry(
    500,
    'The registry refused the image',
    'Set image_pull_secrets to a Secret that may pull it.',
  ),
  registry_unreachable: transient(
    500,
    'The registry cannot be reached',
    "Check the registry's name in sandbox.kubernetes.image, and the network, DNS and certificates of the nodes.",
  ),
  image_never_pull: entry(500, 'The image is not on the node', 'Load it there, or change image_pull_policy.'),
  pull_timeout: transient(
    500,
    'The image was not pulled in time',
    'Raise stage_timeouts.pulling, or use a smaller or pre-pulled image.',
  ),
  schedule_timeout: transient(
    500,
    'No node took the Pod in time',
    'Add capacity, relax node_selector or resources, or raise stage_timeouts.scheduling.',
  ),
  start_timeout: transient(
    500,
    'The container did not start in time',
    'See the events above, or raise stage_timeouts.starting.',
  ),
  secret_not_found: entry(
    500,
    'A Secret does not exist',
    'Create the Secret that the message names, in the namespace of the sandboxes.',
  ),
  config_map_not_found: entry(
    500,
    'A ConfigMap does not exist',
    'Create the ConfigMap that the message names, in the namespace of the sandboxes.',
  ),
  volume_failed: entry(
    500,
    'A volume could not be mounted',
    'Check that the claim or Secret that the message names exists and can be mounted.',
  ),
  container_config_invalid: entry(
    500,
    'The container cannot be configured',
    "Read the kubelet's text above.",
  ),
  container_start_failed: entry(
    500,
    'The container could not be started',
    "Read the kubelet's text above; check that the image has what the command needs.",
  ),
  init_container_failed: entry(500, 'An init container failed', "Read the container's log above."),
  pod_sandbox_failed: transient(
    500,
    'The node could not set the Pod up',
    'A node or network fault; launch again, and see the node if it persists.',
  ),
  pod_failed: entry(500, 'The Pod failed', 'Read the evidence above.'),
  pod_evicted: transient(
    500,
    'The Pod was evicted',
    'Raise the limit that the message names, or free the node.',
  ),
  pod_preempted: transient(500, 'The Pod was preempted', 'Set priority_class, or add capacity.'),
  pod_rejected: transient(500, 'The node rejected the Pod', 'Add capacity; launch again.'),
  pod_deleted: transient(
    500,
    'The Pod was deleted by another hand',
    'Find who deletes Pods in this namespace; launch again.',
  ),
  node_lost: transient(500, 'The node of the Pod is gone', 'Launch again.'),
  deadline_exceeded: entry(500, 'The Pod reached its lifetime', 'Launch with a longer lifetime.'),
  quota_exceeded: transient(
    500,
    'The quota of the namespace is used up',
    'Remove sandboxes, raise the ResourceQuota, or wait.',
  ),
  quota_unspecified: entry(
    500,
    'The quota demands a value that is not set',
    'Set the field that the message names under sandbox.kubernetes.resources.',
  ),
  limit_range: entry(
    500,
    'The LimitRange of the namespace refuses the Pod',
    'Change sandbox.kubernetes.resources to what the message allows.',
  ),
  pod_security: entry(
    500,
    'Pod Security refuses the Pod',
    'A container that is not ours, or pod_template, breaks the restricted profile; see the message.',
  ),
  namespace_not_found: entry(
    500,
    'The namespace does not exist',
    'Apply deploy/kubernetes/overlays/sandbox-runners, or set sandbox.kubernetes.namespace.',
  ),
  namespace_terminating: entry(
    500,
    'The namespace is being deleted',
    'Wait until it is gone and create it again, or use another.',
  ),
  runtime_class_not_found: entry(
    500,
    'The RuntimeClass does not exist',
    'Create it, or correct sandbox.kubernetes.runtime_class.',
  ),
  service_account_not_found: entry(
    500,
    'The ServiceAccount does not exist',
    'Apply deploy/kubernetes/overlays/sandbox-runners, or correct service_account.',
  ),
  webhook_failed: transient(
    500,
    'An admission webhook is down',
    'Repair the webhook that the message names.',
  ),
  admission_denied: entry(
    500,
    'An admission webhook refused the Pod',
    "Read the webhook's own message above.",
  ),
  cluster_forbidden: entry(
    500,
    'The server lacks a right in the cluster',
    'Apply deploy/kubernetes/overlays/sandbox-runners; the message names verb and resource.',
  ),
  cluster_unauthorized: entry(
    500,
    'The cluster refuses the credentials',
    'Renew the kubeconfig or the ServiceAccount token.',
  ),
  cluster_unreachable: transient(
    503,
    'The cluster cannot be reached',
    'Check the API server and the network between.',
  ),
  cluster_rejected: entry(
    500,
    'The cluster refuses the object',
    'Read its message above; check the configuration.',
  ),
  cluster_certificate: entry(
    500,
    'The certificate of the API server does not verify',
    'Correct certificate-authority in the kubeconfig, or the address of the API server.',
  ),
  cluster_answer: entry(
    502,
    'The cluster answered with something unexpected',
    'Check that the address in the kubeconfig is that of a Kubernetes API server, and what proxies stand between.',
  ),
  cluster_config: entry(
    500,
    'There is no usable cluster configuration',
    'In a cluster: mount a ServiceAccount token. Outside: set KUBECONFIG or sandbox.kubernetes.kubeconfig.',
  ),
  object_conflict: entry(
    500,
    'An object of this name exists and is not ours',
    'Launch again; names are random.',
  ),
  isolation_unavailable: entry(
    500,
    'Isolation cannot be had on this machine',
    'Install bubblewrap and allow user namespaces, or ask for isolation: none.',
  ),
} as const satisfies Record<string, ErrorEntry>;

/** Every error code with its status, title and advice. */
export const ERRORS = { ...REQUEST_ERRORS, ...HOST_ERRORS, ...LAUNCH_ERRORS };

export type ErrorCode = keyof typeof ERRORS;

/** Whether a string is one of the registered codes. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

/** Additional facts of an error: plain data, never a secret. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

export interface SandboxErrorOptions {
  readonly cause?: unknown;
  readonly details?: ErrorDetails;
}

const BRAND = Symbol.for('omnigent.SandboxError');

/**
 * The base of every error that this project throws on purpose.
 * `message` says what was expected and what was found; {@link SandboxError.advice} what to do next.
 */
export class SandboxError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly [BRAND] = true;

  constructor(code: ErrorCode, message: string, options: SandboxErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'SandboxError';
    this.code = code;
    this.details = options.details ?? {};
  }

  get advice(): string {
    return ERRORS[this.code].advice;
  }
}

/** Whether a value is a {@link SandboxError}, also one of another realm or copy of this package. */
export function isSandboxError(value: unknown): value is SandboxError {
  return typeof value === 'object' && value !== null && BRAND in value;
}

/** The message of anything thrown, in one line, for a `message` or a log. */
export function toErrorMessage(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '')
    return thrown.errors.map(toErrorMessage).join('; ');
  return thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
}

/** The error of an aborted signal: its own reason when that is one of ours, else `canceled`. */
export function toCanceledError(signal: AbortSignal, what: string): SandboxError {
  if (isSandboxError(signal.reason)) return signal.reason;
  const isTimeout = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
  return new SandboxError(
    isTimeout ? 'timeout' : 'canceled',
    `${what} was ${isTimeout ? 'not done in time' : 'cancelled'}`,
    {
      cause: signal.reason,
    },
  );
}
