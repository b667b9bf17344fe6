export { ensureBinaries, realBinaries } from './binaries';
export { cacheDir } from './cache';
export type {
  BinariesOptions,
  EnsureBinariesOptions,
  RealBinaries,
} from './binaries';
export { startControlPlane, ControlPlane } from './ControlPlane';
export type { ControlPlaneOptions, RotatingToken } from './ControlPlane';
export type { RbacRule } from './Permissions';
export { ApiClient, ApiError } from './ApiClient';
export type { ApiAnswer, ApiRequest, KubeObject } from './ApiClient';
export type { Need, ProgramName } from './programs';
export { describeReal } from './testing';
export { startRealFleet } from './startRealFleet';
export { RealFleet } from './RealFleet';
export type { PodCount, RealCluster, RealFleetOptions } from './RealFleet';
export type { GatewayApiBundle } from './bundles';
export type { ApplyReport, ObjectNote } from './manifests/applyFolder';
export { runRealFleet } from './runRealFleet';
export type { RunRealFleetOptions } from './runRealFleet';
