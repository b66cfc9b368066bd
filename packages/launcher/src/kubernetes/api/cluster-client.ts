/**
 * What the launcher asks of a cluster; every call is about the one namespace of the sandboxes unless it says otherwise.
 * Calls retry what is transient until their budget ends and throw {@link ClusterError}; a missing object is a value.
 */
import type { ClusterEvent } from './objects/event.ts';
import type { Pod } from './objects/pod.ts';
import type {
  AccessAnswer,
  AccessQuestion,
  ClusterNode,
  ClusterVersion,
  LimitRange,
  Namespace,
  ResourceQuota,
  ServiceAccount,
} from './objects/preflight.ts';
import type { PodWatch } from './pod-watch.ts';

/** A manifest about to be sent. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

export interface ClusterCallOptions {
  readonly signal: AbortSignal;
  /** How long transient failures are retried, in milliseconds. Default 30,000; 0 means one try. */
  readonly retryForMs?: number;
}

export interface DeleteOptions extends ClusterCallOptions {
  /** Seconds between SIGTERM and SIGKILL; the object's own when absent; 0 forces the deletion. */
  readonly gracePeriodSeconds?: number;
  /** Delete only the object of this uid. */
  readonly uid?: string;
}

/** `accepted`: it goes (a Pod after its grace); `gone`: there was none; `replaced`: the name belongs to another uid now. */
export type DeleteOutcome = 'accepted' | 'gone' | 'replaced';

export interface ListPodsOptions extends ClusterCallOptions {
  /** All must match. */
  readonly labels: Readonly<Record<string, string>>;
  /** Objects of a page; default 200. */
  readonly pageSize?: number;
}

export interface ListEventsOptions extends ClusterCallOptions {
  /** Uid of the involved object. */
  readonly uid: string;
  /** At most so many; default 100. */
  readonly limit?: number;
}

export interface PodLogOptions extends ClusterCallOptions {
  readonly container: string;
  readonly tailLines: number;
  readonly limitBytes: number;
  /** The log of the container's run before this one. */
  readonly previous?: boolean;
}

/** Who a token Secret belongs to; apiVersion and kind are added (items of a list carry none). */
export interface PodOwner {
  readonly name: string;
  readonly uid: string;
}

export interface ClusterClient {
  readonly namespace: string;

  /**
   * Creates a Pod. After a lost answer it looks: a Pod of that name with the manifest's labels is the one it created.
   *
   * @throws ClusterError `already_exists` for a Pod that this call did not create.
   */
  createPod(manifest: Manifest, options: ClusterCallOptions): Promise<Pod>;
  /** The Pod as admission would store it, as plain JSON; nothing is created. */
  dryRunPod(manifest: Manifest, options: ClusterCallOptions): Promise<Readonly<Record<string, unknown>>>;
  /** Null when there is none. A direct, consistent read. */
  getPod(name: string, options: ClusterCallOptions): Promise<Pod | null>;
  deletePod(name: string, options: DeleteOptions): Promise<DeleteOutcome>;
  /** Pages of Pods; stop iterating to stop asking. */
  listPods(options: ListPodsOptions): AsyncIterable<Pod>;

  /** Creates a Secret; a lost answer is settled as with {@link createPod}, without reading any Secret. */
  createSecret(manifest: Manifest, options: ClusterCallOptions): Promise<void>;
  /** Makes the Pod the owner of the Secret, so that it goes when the Pod goes. False when there is no such Secret. */
  setSecretOwner(name: string, owner: PodOwner, options: ClusterCallOptions): Promise<boolean>;
  /**
   * Whether there is a Secret of this name, without the right to read any: a patch that changes nothing, as a dry run,
   * of whose answer the cluster leaves the values out.
   */
  hasSecret(name: string, options: ClusterCallOptions): Promise<boolean>;
  deleteSecret(name: string, options: DeleteOptions): Promise<DeleteOutcome>;

  /** Events about one object, oldest first as far as the cluster says. */
  listEvents(options: ListEventsOptions): Promise<readonly ClusterEvent[]>;
  /** The end of the log, never empty; null when there is none, any more or yet. */
  readPodLog(name: string, options: PodLogOptions): Promise<string | null>;

  /** The shared watch of this installation's Pods. */
  readonly podWatch: PodWatch;

  readVersion(options: ClusterCallOptions): Promise<ClusterVersion>;
  /** The namespace of the sandboxes; null when there is none. */
  readNamespace(options: ClusterCallOptions): Promise<Namespace | null>;
  readServiceAccount(name: string, options: ClusterCallOptions): Promise<ServiceAccount | null>;
  /** Null when the cluster has no such node. Needs a right that the server usually lacks. */
  readNode(name: string, options: ClusterCallOptions): Promise<ClusterNode | null>;
  checkAccess(question: AccessQuestion, options: ClusterCallOptions): Promise<AccessAnswer>;
  listResourceQuotas(options: ClusterCallOptions): Promise<readonly ResourceQuota[]>;
  listLimitRanges(options: ClusterCallOptions): Promise<readonly LimitRange[]>;

  /** Where the API server is, for messages: `https://10.0.0.1:6443`. */
  readonly server: string;
  /** Ends the watch and every connection; calls in flight are cut. */
  close(): Promise<void>;
}
