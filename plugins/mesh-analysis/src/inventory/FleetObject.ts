/**
 * The part of `metadata` that the collector keeps.
 *
 * @public
 */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** RFC 3339, as the API server writes it. */
  creationTimestamp?: string;
  deletionTimestamp?: string;
  generation?: number;
  ownerReferences?: Array<{
    apiVersion: string;
    kind: string;
    name: string;
    uid?: string;
    controller?: boolean;
  }>;
}

/**
 * One Kubernetes object. Fields that the schema demands may be absent: manifests are
 * what people write, not what a schema wishes.
 *
 * @public
 */
export interface ManifestObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: any;
  status?: any;
  data?: Record<string, string>;
  [field: string]: any;
}

/**
 * One Kubernetes object of one cluster, in the trimmed form in which it is stored
 * (see `mesh-backend/src/collect/trim.ts`).
 *
 * @public
 */
export interface FleetObject extends ManifestObject {
  /** Name of the cluster in the portal; not the mesh's own cluster id. */
  cluster: string;
}
