import { isUnknown } from '../inventory/Fact';
import { ClusterMesh } from './mesh';
import { ServiceLink } from './types';

/**
 * `from` reads what runs in `to`, for all services alike. What a single service makes
 * of it stands in `serviceLinks`.
 *
 * @public
 */
export interface ClusterLink {
  from: string;
  to: string;
  mechanism: 'istio' | 'linkerd' | 'cilium' | 'consul' | 'mcs';
  state: ServiceLink['state'];
  reason?: string;
}

const cache = new WeakMap<readonly ClusterMesh[], readonly ClusterLink[]>();

/**
 * All links between clusters. The answer for a list of meshes is kept, since every
 * service of a fleet is merged against the same one.
 *
 * @public
 */
export function clusterLinks(
  meshes: readonly ClusterMesh[],
): readonly ClusterLink[] {
  let links = cache.get(meshes);
  if (!links) {
    links = [
      ...istioLinks(meshes),
      ...linkerdLinks(meshes),
      ...ciliumLinks(meshes),
      ...mcsLinks(meshes),
      ...consulLinks(meshes),
    ];
    cache.set(meshes, links);
  }
  return links;
}

/** The clusters that go by an id in the mesh. */
export function clustersWithId(
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

export function hasControlPlane(mesh: ClusterMesh): boolean {
  return mesh.revisions.some(one => one.controlPlane);
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
                reason: from.linksUnknown.cilium,
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
