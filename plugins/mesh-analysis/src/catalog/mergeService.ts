import { Fact, isUnknown, unknown } from '../inventory/Fact';
import { ClusterLinks } from './clusterLinks';
import { ClusterMesh } from './mesh';
import { mergeFindings } from './mergeFindings';
import { serviceLinks } from './serviceLinks';
import { ServiceInstance, ServiceLinks, ServiceView, Workload } from './types';
import { combine } from './workloads';

/**
 * What is known of a service's namespace in a cluster that need not have the service.
 *
 * @public
 */
export interface NamespacePresence {
  cluster: string;
  present: Fact<boolean>;
  /** Whether workloads of the mesh run in the cluster's namespace of this name, which could call the service. */
  readers?: boolean;
}

/** @public */
export interface MergeInput {
  namespace: string;
  name: string;
  /** Instances in all clusters (see `logicalNameOf`), each with the workloads behind it. */
  instances: Array<{ instance: ServiceInstance; workloads: Workload[] }>;
  /** The meshes of all clusters. Pass the same list for all services: what is drawn from it is kept. */
  meshes: readonly ClusterMesh[];
  namespaces?: readonly NamespacePresence[];
  /** Labels or annotations of Services that name an owner. Default: `backstage.io/owner`. */
  ownerLabels?: readonly string[];
  /** Clusters that may have the service and are not known. */
  unknownClusters: readonly string[];
}

type Member = {
  instance: ServiceInstance;
  workloads: Workload[];
  mesh: ClusterMesh | undefined;
};

/**
 * Puts the Services of one name together: those of linked clusters are one service,
 * those of clusters without a link are homonyms and stay apart.
 *
 * @public
 */
export function mergeService(input: MergeInput): ServiceView[] {
  const { namespace, name, instances, meshes, unknownClusters } = input;
  const clusterLinks = ClusterLinks.of(meshes);
  const members = instances.map(({ instance, workloads }) => ({
    instance,
    workloads,
    mesh: clusterLinks.meshOf(instance.cluster),
  }));
  const allLinks = serviceLinks(
    instances.map(({ instance }) => instance),
    clusterLinks,
  );
  const groups = components(members, allLinks.toList());
  const scopes = scopesOf(groups);
  const clustersOf = (some: Member[]) =>
    clusterLinks.names.setOf(some.map(({ instance }) => instance.cluster));

  return groups.map((group, index) => {
    const clusters = clustersOf(group);
    const own = allLinks.only(clusters, () => clusters);
    // A stub has nothing that others could reach; a mirror is a link by being there.
    const reachable = clustersOf(
      group.filter(({ instance }) => instance.role !== 'stub'),
    );
    const links = own.only(clusters, ({ mechanism }) =>
      mechanism.startsWith('linkerd') ? clusters : reachable,
    );
    const counted = group.filter(
      ({ instance }) =>
        instance.role === 'backend' || instance.role === 'gateway',
    );
    const partial =
      unknownClusters.length > 0 ||
      counted.some(({ instance }) => isUnknown(instance.endpoints));
    const view = {
      scope: scopes[index],
      namespace,
      name,
      instances: group.map(one => one.instance),
      workloads: group.flatMap(one => one.workloads),
      links: links.toList(),
      homonyms: scopes.filter((_, other) => other !== index),
      dataplane: combine(
        counted
          .filter(({ instance }) => instance.workloads.length > 0)
          .map(({ instance }) => instance.dataplane),
        unknown('not-reported', 'no workload is behind it in any cluster'),
      ),
      endpoints: endpointsOf(counted),
      partial,
    };
    const findings = mergeFindings(view, group, own.toList(), input);
    return { ...view, findings };
  });
}

/** Members of linked clusters together, each group with its clusters. */
function components(
  members: Member[],
  links: readonly ServiceLinks[],
): Member[][] {
  const parent = new Map<string, string>();
  const find = (cluster: string): string => {
    const up = parent.get(cluster) ?? cluster;
    return up === cluster ? cluster : find(up);
  };
  // All clusters of a group are connected: whichever of them reaches two others joins
  // these, and each of them reaches one.
  for (const { from, to } of links) {
    const root = find(from[0]);
    for (const cluster of [...from, ...to]) {
      parent.set(find(cluster), root);
    }
  }
  const groups = new Map<string, Member[]>();
  for (const member of members) {
    const root = find(member.instance.cluster);
    const group = groups.get(root);
    if (group) {
      group.push(member);
    } else {
      groups.set(root, [member]);
    }
  }
  return [...groups.values()];
}

/** A name for each group: the mesh id that all agree on, else the first cluster; no two alike. */
function scopesOf(groups: Member[][]): string[] {
  const candidates = groups.map(group => {
    const ids = new Set(
      group.map(({ mesh }) =>
        mesh && !isUnknown(mesh.meshId) ? mesh.meshId : undefined,
      ),
    );
    const [id] = ids;
    return ids.size === 1 && id !== undefined ? id : undefined;
  });
  return groups.map((group, index) => {
    const id = candidates[index];
    return id !== undefined &&
      candidates.indexOf(id) === candidates.lastIndexOf(id)
      ? id
      : group[0].instance.cluster;
  });
}

function endpointsOf(
  members: Member[],
): Fact<{ ready: number; total: number }> {
  const sum = { ready: 0, total: 0 };
  let gap: ReturnType<typeof unknown> | undefined;
  let known = false;
  for (const { instance } of members) {
    if (isUnknown(instance.endpoints)) {
      gap = instance.endpoints;
    } else {
      known = true;
      sum.ready += instance.endpoints.ready;
      sum.total += instance.endpoints.total;
    }
  }
  // What is known is counted, and `partial` says that it is not all.
  return gap && !known ? gap : sum;
}
