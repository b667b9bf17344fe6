export { cacheDir, ensureBinaries, realBinaries } from './binaries';
export type {
  BinariesOptions,
  EnsureBinariesOptions,
  RealBinaries,
} from './binaries';
export { startControlPlane, ControlPlane } from './ControlPlane';
export type {
  ControlPlaneOptions,
  RbacRule,
  RotatingToken,
} from './ControlPlane';
export { ApiClient, ApiError } from './ApiClient';
export type { ApiAnswer, ApiRequest, KubeObject } from './ApiClient';
export type { Need, ProgramName } from './programs';
export { describeReal } from './testing';
