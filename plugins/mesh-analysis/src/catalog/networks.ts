import { isUnknown } from '../inventory/Fact';
import { ClusterLinks } from './clusterLinks';
import { ClusterMesh } from './mesh';
import { Workload } from './types';

/** The network of a service's pods: their own label, else their cluster's. */
export function networkOf({
  workloads,
  mesh,
}: {
  workloads: Workload[];
  mesh: ClusterMesh | undefined;
}): string | undefined {
  const labels = new Set(
    workloads.map(one => one.labels['topology.istio.io/network']),
  );
  const [label] = labels;
  if (labels.size === 1 && label !== undefined) {
    return label;
  }
  return mesh && !isUnknown(mesh.network) ? mesh.network : undefined;
}

/** Why callers in one network cannot reach endpoints in another, where that is certain. */
export function networkPathProblem(
  source: string,
  target: string,
  clusters: ClusterLinks,
): string | undefined {
  if (source === target || target === '') {
    return undefined;
  }
  const { usable, ignored } = clusters.gatewaysOf(target);
  if (usable) {
    return undefined;
  }
  return ignored
    ? `no gateway of network ${target} is usable: ${ignored}`
    : `network ${target} has no gateway, and they are in network ${
        source || '(unnamed)'
      }`;
}
