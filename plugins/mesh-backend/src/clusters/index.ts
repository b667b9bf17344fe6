export { ClusterSources, createClusterSources } from './ClusterSources';
export type { ClusterDefinition, ListedClusters } from './ClusterSources';
