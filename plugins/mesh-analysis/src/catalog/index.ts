export * from './types';
export * from './mesh';
export * from './analyseCluster';
export * from './analyseNamespace';
export * from './mergeService';
export * from './clusterLinks';
export { logicalNameOf } from './artefacts';
export * from './entity';
export * from './fleetFindings';
