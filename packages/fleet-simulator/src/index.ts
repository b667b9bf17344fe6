/**
 * Kubernetes API servers over HTTPS from folders of manifests.
 *
 * @packageDocumentation
 */
export type { Access, AccessRule } from './access/AccessRules';
export type { Fleet, FleetOptions, FleetSize } from './Fleet';
export { startFleet } from './Fleet';
export type { RequestInfo } from './http/RequestInfo';
export { readRequestInfo } from './http/RequestInfo';
export type { LoadedObject, ManifestProblem } from './manifests';
export { clusterFolders, loadManifests } from './manifests';
export type {
  KubeMetadata,
  KubeObject,
  ManagedFields,
} from './objects/KubeObject';
export type { ObjectReference, RequestRecord } from './SimulatedCluster';
export { SimulatedCluster } from './SimulatedCluster';
export type { ServerCertificate } from './tls';
export { CertificateAuthority } from './tls';
export type { Answer, WatchEvent } from './contract/ApiClient';
export { ApiClient, ApiWatch, until } from './contract/ApiClient';
export type { ContractTarget } from './contract/apiServerContract';
export { apiServerContract, grantByRbac } from './contract/apiServerContract';
