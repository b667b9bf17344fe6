/**
 * Names Services that the annotations of the Kubernetes plugin cannot name:
 * `namespace/name`, several of them separated by commas.
 *
 * @public
 */
export const MESH_SERVICES_ANNOTATION = 'mesh.backstage.io/services';

/** @public */
export const KUBERNETES_ID_ANNOTATION = 'backstage.io/kubernetes-id';
/** @public */
export const KUBERNETES_NAMESPACE_ANNOTATION =
  'backstage.io/kubernetes-namespace';
/** @public */
export const KUBERNETES_LABEL_SELECTOR_ANNOTATION =
  'backstage.io/kubernetes-label-selector';
/** @public */
export const KUBERNETES_CLUSTER_ANNOTATION = 'backstage.io/kubernetes-cluster';

/** Annotations by which an entity names its services. @public */
export const SERVICE_ANNOTATIONS = [
  MESH_SERVICES_ANNOTATION,
  KUBERNETES_ID_ANNOTATION,
  KUBERNETES_LABEL_SELECTOR_ANNOTATION,
] as const;
