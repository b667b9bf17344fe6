import { createExtensionPoint } from '@backstage/backend-plugin-api';
import type { KubeConfig } from '@kubernetes/client-node';

/**
 * Why a cluster that a source names cannot be watched.
 *
 * @public
 */
export interface MeshClusterProblem {
  /**
   * `misconfigured`: something has to be put right; nothing is tried until then.
   * `needs-user`: sign-in needs the token of a user, which a backend that watches
   * by itself does not have.
   */
  state: 'misconfigured' | 'needs-user';
  /** For a person: which key or annotation is at fault, and what to write instead. */
  message: string;
}

/**
 * A cluster as a source names it: what it is called and how to sign in to it.
 *
 * @public
 */
export interface MeshCluster {
  /** Unique in the portal. Where two sources name the same cluster, the first one wins. */
  name: string;
  title?: string;
  /** Address of the API server, to show to people. Credentials in it are removed. */
  server?: string;
  labels?: Record<string, string>;
  /** Set where the cluster cannot be watched; then it is listed with the reason and left alone. */
  problem?: MeshClusterProblem;
  /**
   * Makes a new `KubeConfig` with its current context set. It is called when the
   * cluster is first contacted, and again when its credentials are refused, so
   * that tokens and certificates that have been replaced are read anew. An object
   * that has been returned must never be returned for another cluster: sign-in
   * plugins keep tokens in it.
   */
  createKubeConfig?(): KubeConfig | Promise<KubeConfig>;
  /**
   * Something that changes when the cluster has to be connected anew, such as a
   * hash of its configuration. It never leaves the process.
   */
  fingerprint?: string;
}

/**
 * Names clusters. It is asked again and again, so that clusters can come and go
 * while the backend runs. A source that throws keeps the clusters that it named
 * last.
 *
 * @public
 */
export interface MeshClusterSource {
  /** Shown as the origin of its clusters, such as `fleet-inventory`. */
  readonly id: string;
  listClusters(): Promise<MeshCluster[]>;
}

/**
 * Adds sources of clusters to the mesh backend.
 *
 * @public
 */
export interface MeshClusterSourcesExtensionPoint {
  /** May be called many times; sources are asked in the order in which they were added. */
  addClusterSource(source: MeshClusterSource): void;
}

/** @public */
export const meshClusterSourcesExtensionPoint =
  createExtensionPoint<MeshClusterSourcesExtensionPoint>({
    id: 'mesh.cluster-sources',
  });
