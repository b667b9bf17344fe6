import type { ClusterSummary } from '@mesh-for-backstage/plugin-mesh-common';

/** What stands under a cluster's title: its name, which all other places use, and its environment. */
export const secondName = (cluster: ClusterSummary): string =>
  [
    cluster.title && cluster.title !== cluster.name ? cluster.name : undefined,
    cluster.environment,
  ]
    .filter(Boolean)
    .join(' · ');
