import { Fact, isUnknown, unknown } from '../inventory/Fact';
import { Finding } from '../rules/Finding';
import { ClusterLink, clusterLinks } from './clusterLinks';
import { ClusterMesh } from './mesh';
import { mergeFindings } from './mergeFindings';
import { judgeLink } from './serviceLinks';
import { ServiceInstance, ServiceLink, ServiceView, Workload } from './types';
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
  const byCluster = new Map(meshes.map(mesh => [mesh.cluster, mesh]));
  const members = instances.map(({ instance, workloads }) => ({
    instance,
    workloads,
    mesh: byCluster.get(instance.cluster),
  }));
  const edges = edgesBetween(members, clusterLinks(meshes));
  const groups = components(members, edges);
  const scopes = scopesOf(groups);

  return groups.map((group, index) => {
    const clusters = new Set(group.map(one => one.instance.cluster));
    const links = edges
      .filter(({ from, to }) => clusters.has(from) && clusters.has(to))
      .filter(({ mechanism, to }) =>
        mechanism.startsWith('linkerd')
          ? true
          : group.some(
              ({ instance }) =>
                instance.cluster === to && instance.role !== 'stub',
            ),
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
      links,
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
    const findings: Finding[] = mergeFindings(
      view,
      group,
      edges.filter(({ from, to }) => clusters.has(from) && clusters.has(to)),
      input,
    );
    return { ...view, findings };
  });
}

/** All links of the service, each with its state; at most one for a pair and mechanism. */
function edgesBetween(
  members: Member[],
  links: readonly ClusterLink[],
): ServiceLink[] {
  const own = new Map<string, Member>();
  for (const member of members) {
    const { role, cluster } = member.instance;
    if (role !== 'mirror' && role !== 'derived') {
      own.set(cluster, member);
    }
  }
  const edges = new Map<string, ServiceLink>();
  const add = (edge: ServiceLink) =>
    edges.set(`${edge.from}>${edge.to}>${edge.mechanism}`, edge);

  if (own.size > 1) {
    for (const link of links) {
      const from = own.get(link.from);
      const to = own.get(link.to);
      const judged = from && to && judgeLink(link, from, to);
      if (judged) {
        add({ from: link.from, to: link.to, ...judged });
      }
    }
  }
  for (const { instance } of members) {
    for (const edge of mirrorEdges(instance, links)) {
      add(edge);
    }
  }
  return [...edges.values()];
}

/** A mirror is the link: traffic to it goes to the cluster that it mirrors. */
function mirrorEdges(
  instance: ServiceInstance,
  links: readonly ClusterLink[],
): ServiceLink[] {
  if (instance.role !== 'mirror' || !instance.mirrorOf) {
    return [];
  }
  const federated =
    instance.annotations['multicluster.linkerd.io/remote-discovery'];
  const targets = federated
    ? federated
        .split(',')
        .map(item => item.trim().split('@')[1])
        .filter(cluster => cluster !== undefined && cluster !== '')
    : [instance.mirrorOf.cluster];
  return targets.map(to => {
    const link = links.find(
      one =>
        one.mechanism === 'linkerd' &&
        one.from === instance.cluster &&
        one.to === to,
    );
    return {
      from: instance.cluster,
      to,
      mechanism: federated ? 'linkerd-federated' : 'linkerd-mirror',
      state: link?.state ?? 'unknown',
      ...(link
        ? link.reason && { reason: link.reason }
        : { reason: `no Link to ${to} was found in ${instance.cluster}` }),
    };
  });
}

function components(members: Member[], edges: ServiceLink[]): Member[][] {
  const parent = new Map<string, string>();
  const find = (cluster: string): string => {
    const up = parent.get(cluster) ?? cluster;
    return up === cluster ? cluster : find(up);
  };
  for (const { from, to } of edges) {
    const [a, b] = [find(from), find(to)];
    if (a !== b) {
      parent.set(a, b);
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
