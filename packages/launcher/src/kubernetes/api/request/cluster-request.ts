/** A request to the API server as data. */
import type { ClusterTarget } from '../cluster-error.ts';

export interface ClusterRequest {
  readonly target: ClusterTarget;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below the server's URL, with its query. */
  readonly path: string;
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Default `application/json`. */
  readonly accept?: string;
  /** Texts that no message may contain. */
  readonly secrets?: readonly string[];
}

/** A whole answer. */
export interface ClusterAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}
