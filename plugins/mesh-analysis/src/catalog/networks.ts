import { isUnknown } from '../inventory/Fact';
import { ClusterMesh } from './mesh';
import { ServiceInstance, Workload } from './types';

interface Side {
  instance: ServiceInstance;
  workloads: Workload[];
  mesh: ClusterMesh | undefined;
}

/** The network of a service's pods: their own label, else their cluster's. */
function networkOf({ workloads, mesh }: Side): string | undefined {
  const labels = new Set(
    workloads.map(one => one.labels['topology.istio.io/network']),
  );
  const [label] = labels;
  if (labels.size === 1 && label !== undefined) {
    return label;
  }
  return mesh && !isUnknown(mesh.network) ? mesh.network : undefined;
}

/** Why callers of one side cannot reach the endpoints of the other, where that is certain. */
export function networkPathProblem(
  from: Side,
  to: Side,
  meshes: readonly ClusterMesh[],
): string | undefined {
  const source =
    from.mesh && !isUnknown(from.mesh.network) ? from.mesh.network : undefined;
  const target = networkOf(to);
  if (source === undefined || target === undefined || source === target) {
    return undefined;
  }
  if (target === '') {
    return undefined;
  }
  const declared = meshes.some(mesh =>
    mesh.revisions.some(one => one.networksWithGateways.includes(target)),
  );
  const gateways = meshes
    .flatMap(mesh => mesh.networkGateways)
    .filter(gateway => gateway.network === target);
  if (declared || gateways.some(gateway => !gateway.ignored)) {
    return undefined;
  }
  return gateways.length > 0
    ? `no gateway of network ${target} is usable: ${gateways[0].ignored}`
    : `network ${target} has no gateway, and they are in network ${
        source || '(unnamed)'
      }`;
}
