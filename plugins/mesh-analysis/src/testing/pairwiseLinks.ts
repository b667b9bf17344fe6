import { isUnknown } from '../inventory/Fact';
import { hasControlPlane } from '../catalog/clusterLinks';
import { ClusterMesh } from '../catalog/mesh';
import { clusterLocal, isCiliumGlobal } from '../catalog/serviceLinks';
import { LinkMechanism, ServiceInstance, ServiceLink } from '../catalog/types';

/**
 * The rule of links as it is thought of: one pair of clusters after the other. It is
 * far too slow for a fleet; what draws groups of links is held against it.
 */
export function linksOfPairs(
  instances: readonly ServiceInstance[],
  meshes: readonly ClusterMesh[],
): ServiceLink[] {
  return edgesBetween(
    instances.map(instance => ({
      instance,
      mesh: meshes.find(({ cluster }) => cluster === instance.cluster),
    })),
    clusterLinks(meshes),
  ).filter(({ from, to }) => from !== to);
}

interface ClusterLink {
  from: string;
  to: string;
  mechanism: 'istio' | 'linkerd' | 'cilium' | 'consul' | 'mcs';
  state: ServiceLink['state'];
  reason?: string;
}

type Member = { instance: ServiceInstance; mesh: ClusterMesh | undefined };

/** All links of the service, each with its state; at most one for a pair and mechanism. */
function edgesBetween(
  members: readonly Member[],
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
        : { reason: 'no Link to it was found where the mirror is' }),
    };
  });
}

function clusterLinks(meshes: readonly ClusterMesh[]): ClusterLink[] {
  return [
    ...istioLinks(meshes),
    ...linkerdLinks(meshes),
    ...ciliumLinks(meshes),
    ...mcsLinks(meshes),
    ...consulLinks(meshes),
  ];
}

/** The clusters that go by an id in the mesh. */
function clustersWithId(
  meshes: readonly ClusterMesh[],
  id: string,
): ClusterMesh[] {
  const byId = meshes.filter(
    mesh => !isUnknown(mesh.clusterId) && mesh.clusterId === id,
  );
  return byId.length > 0
    ? byId
    : meshes.filter(mesh => mesh.cluster === id && isUnknown(mesh.clusterId));
}

function istioLinks(meshes: readonly ClusterMesh[]): ClusterLink[] {
  const links = new Map<string, ClusterLink>();
  const add = (link: ClusterLink) => {
    const key = `${link.from}>${link.to}`;
    // What is known goes before what is not.
    if (!links.has(key) || links.get(key)!.state === 'unknown') {
      links.set(key, link);
    }
  };
  const readBy = (primary: ClusterMesh) =>
    primary.declaredLinks
      .filter(link => link.mechanism === 'istio')
      .flatMap(link => clustersWithId(meshes, link.target))
      .filter(target => target.cluster !== primary.cluster);

  for (const mesh of meshes) {
    for (const target of readBy(mesh)) {
      add(between(mesh, mesh, target));
    }
  }
  // The proxies of a cluster without a control plane of its own are served by the
  // control planes that read it, and see what these see.
  for (const remote of meshes.filter(mesh => !hasControlPlane(mesh))) {
    for (const primary of meshes.filter(mesh => isPrimaryOf(mesh, remote))) {
      for (const target of [primary, ...readBy(primary)]) {
        if (target.cluster !== remote.cluster) {
          add(between(remote, primary, target));
        }
      }
    }
  }
  for (const mesh of meshes) {
    const reason = mesh.linksUnknown.istio;
    if (reason) {
      for (const other of meshes) {
        if (other !== mesh && mayBeOneMesh(mesh, other)) {
          add({
            from: mesh.cluster,
            to: other.cluster,
            mechanism: 'istio',
            state: 'unknown',
            reason,
          });
        }
      }
    }
  }
  return [...links.values()];
}

/** Of one mesh id; or of a mesh that nothing is known of at all, as with manifests of applications alone. */
function mayBeOneMesh(a: ClusterMesh, b: ClusterMesh): boolean {
  if (!isUnknown(a.meshId) && !isUnknown(b.meshId)) {
    return a.meshId === b.meshId;
  }
  return (
    b.linksUnknown.istio !== undefined &&
    (a.revisions.length === 0 || b.revisions.length === 0)
  );
}

function isPrimaryOf(primary: ClusterMesh, remote: ClusterMesh): boolean {
  if (!hasControlPlane(primary) || isUnknown(remote.clusterId)) {
    return false;
  }
  const reads = primary.declaredLinks.some(
    link => link.mechanism === 'istio' && link.target === remote.clusterId,
  );
  const named = remote.controlPlaneClusters;
  return (
    reads &&
    (named.length === 0 ||
      named.includes('*') ||
      (!isUnknown(primary.clusterId) && named.includes(primary.clusterId)))
  );
}

function between(
  from: ClusterMesh,
  reader: ClusterMesh,
  to: ClusterMesh,
): ClusterLink {
  const link = {
    from: from.cluster,
    to: to.cluster,
    mechanism: 'istio' as const,
  };
  const [own, other] = [reader.meshId, to.meshId];
  if (!isUnknown(own) && !isUnknown(other) && own !== other) {
    return {
      ...link,
      state: 'broken',
      reason: `the mesh ids differ (${own} and ${other}): these are two meshes`,
    };
  }
  return { ...link, state: 'active' };
}

function linkerdLinks(meshes: readonly ClusterMesh[]): ClusterLink[] {
  return meshes.flatMap(mesh =>
    mesh.declaredLinks
      .filter(link => link.mechanism === 'linkerd')
      .map(({ target, state, reason }) => ({
        from: mesh.cluster,
        to: target,
        mechanism: 'linkerd' as const,
        state,
        ...(reason && { reason }),
      })),
  );
}

function ciliumLinks(meshes: readonly ClusterMesh[]): ClusterLink[] {
  const members = meshes.filter(
    ({ cilium }) => cilium && cilium.clusterMesh !== false,
  );
  return members.flatMap(from =>
    members
      .filter(
        to =>
          to !== from &&
          // Two clusters with one id or name cannot be connected.
          to.cilium!.clusterId !== from.cilium!.clusterId &&
          to.cilium!.clusterName !== from.cilium!.clusterName,
      )
      .map(to => {
        const declared = from.declaredLinks.some(
          link =>
            link.mechanism === 'cilium' &&
            link.target === to.cilium!.clusterName,
        );
        return {
          from: from.cluster,
          to: to.cluster,
          mechanism: 'cilium' as const,
          ...(declared
            ? { state: 'active' as const }
            : {
                state: 'unknown' as const,
                ...(from.linksUnknown.cilium && {
                  reason: from.linksUnknown.cilium,
                }),
              }),
        };
      }),
  );
}

function mcsLinks(meshes: readonly ClusterMesh[]): ClusterLink[] {
  const members = meshes.filter(mesh => mesh.mcs.installed === true);
  return members.flatMap(from =>
    members
      .filter(
        to =>
          to !== from &&
          (from.mcs.clusterSet === undefined ||
            to.mcs.clusterSet === undefined ||
            from.mcs.clusterSet === to.mcs.clusterSet),
      )
      .map(to => {
        const known =
          from.mcs.clusterSet !== undefined && to.mcs.clusterSet !== undefined;
        return {
          from: from.cluster,
          to: to.cluster,
          mechanism: 'mcs' as const,
          state: known ? ('active' as const) : ('unknown' as const),
          ...(!known && {
            reason:
              'no ClusterProperty says to which cluster set the clusters belong',
          }),
        };
      }),
  );
}

function consulLinks(meshes: readonly ClusterMesh[]): ClusterLink[] {
  return meshes.flatMap(from =>
    (from.consul?.peers ?? [])
      .filter(peer => peer.name !== from.cluster)
      .map(({ name, synced }) => ({
        from: from.cluster,
        to: name,
        mechanism: 'consul' as const,
        state: synced === false ? ('broken' as const) : ('unknown' as const),
        reason:
          synced === false
            ? 'the peering was not written to Consul'
            : 'whether the peering is connected is known to Consul alone',
      })),
  );
}

type Judgement = {
  mechanism: LinkMechanism;
  state: ServiceLink['state'];
  reason?: string;
};

/**
 * What a link between two clusters carries for one service; undefined where the
 * service takes no part in that mechanism.
 */
function judgeLink(
  link: ClusterLink,
  from: { instance: ServiceInstance; mesh: ClusterMesh | undefined },
  to: { instance: ServiceInstance; mesh: ClusterMesh | undefined },
): Judgement | undefined {
  switch (link.mechanism) {
    case 'istio':
      return judgeIstio(link, from, to);
    case 'cilium':
      return judgeCilium(link, from.instance, to.instance);
    case 'mcs':
      return judgeMcs(link, from.instance, to);
    case 'consul':
      return judgeConsul(link, from, to);
    default:
      // Linkerd links only what is mirrored: the mirror itself is the link.
      return undefined;
  }
}

function judgeIstio(
  link: ClusterLink,
  from: { instance: ServiceInstance; mesh: ClusterMesh | undefined },
  to: { instance: ServiceInstance; mesh: ClusterMesh | undefined },
): Judgement | undefined {
  const mechanism = 'istio' as const;
  if (link.state === 'broken') {
    // Two meshes: the link is reported with the clusters, and joins no service.
    return undefined;
  }
  const local = clusterLocal(from.mesh, from.instance);
  if (local) {
    return { mechanism, state: 'suppressed', reason: local };
  }
  const mcs = from.mesh?.revisions[0]?.mcs;
  if (mcs && !isUnknown(mcs) && mcs.serviceDiscovery) {
    const exported = to.instance.reach?.exported;
    if (exported === true) {
      return withState('istio-mcs', link);
    }
    return exported !== undefined && isUnknown(exported)
      ? {
          mechanism: 'istio-mcs',
          state: 'unknown',
          reason: 'whether the service is exported there is not known',
        }
      : {
          mechanism: 'istio-mcs',
          state: 'suppressed',
          reason:
            'ENABLE_MCS_SERVICE_DISCOVERY is on, and the service is not exported there',
        };
  }
  if (to.instance.dataplane === 'ambient') {
    const scope = to.instance.reach?.ambientScope ?? 'local';
    if (isUnknown(scope)) {
      return {
        mechanism,
        state: 'unknown',
        reason: 'the scope of the service in ambient is not known',
      };
    }
    if (scope === 'local') {
      return {
        mechanism,
        state: 'suppressed',
        reason:
          'in ambient a service stays in its cluster unless serviceScopeConfigs makes it GLOBAL',
      };
    }
  }
  return withState(mechanism, link);
}

function withState(mechanism: LinkMechanism, link: ClusterLink): Judgement {
  return {
    mechanism,
    state: link.state,
    ...(link.reason && { reason: link.reason }),
  };
}

function isCiliumShared({ annotations }: ServiceInstance): boolean {
  return annotations['service.cilium.io/shared'] !== 'false';
}

function judgeCilium(
  link: ClusterLink,
  from: ServiceInstance,
  to: ServiceInstance,
): Judgement | undefined {
  const mechanism = 'cilium-global' as const;
  const [here, there] = [isCiliumGlobal(from), isCiliumGlobal(to)];
  if (!here && !there) {
    return undefined;
  }
  if (!here || !there) {
    return {
      mechanism,
      state: 'broken',
      reason:
        'the service is global in one of the two only; it has to be in both',
    };
  }
  if (!isCiliumShared(to)) {
    return {
      mechanism,
      state: 'suppressed',
      reason:
        'the backends there are not shared (service.cilium.io/shared=false)',
    };
  }
  return withState(mechanism, link);
}

function judgeMcs(
  link: ClusterLink,
  from: ServiceInstance,
  to: { instance: ServiceInstance; mesh: ClusterMesh | undefined },
): Judgement | undefined {
  const mechanism = 'mcs' as const;
  if (from.reach?.imported !== true || to.instance.reach?.exported !== true) {
    return undefined;
  }
  const reported = from.reach.importedFrom;
  if (reported) {
    const names = [
      to.mesh?.mcs.clusterProperty,
      to.mesh?.cluster,
      to.mesh && !isUnknown(to.mesh.clusterId) ? to.mesh.clusterId : undefined,
    ];
    return names.some(name => name !== undefined && reported.includes(name))
      ? { mechanism, state: 'active' }
      : {
          mechanism,
          state: 'broken',
          reason: 'the ServiceImport does not name it among its clusters',
        };
  }
  return withState(mechanism, link);
}

function judgeConsul(
  link: ClusterLink,
  from: { instance: ServiceInstance; mesh: ClusterMesh | undefined },
  to: { instance: ServiceInstance; mesh: ClusterMesh | undefined },
): Judgement | undefined {
  const exported = to.mesh?.consul?.exports.some(
    ({ service, peers }) =>
      (service === to.instance.name || service === '*') &&
      peers.includes(from.instance.cluster),
  );
  return exported ? withState('consul', link) : undefined;
}
