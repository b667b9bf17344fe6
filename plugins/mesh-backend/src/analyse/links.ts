import { ClusterMesh, clusterLinks } from '@mesh-for-backstage/mesh-analysis';

/** Clusters whose links to or from others differ between two states of the meshes. */
export function clustersWithChangedLinks(
  before: readonly ClusterMesh[],
  after: readonly ClusterMesh[],
): Set<string> {
  const clusters = new Set<string>();
  if (before === after) return clusters;
  const links = new Map(
    clusterLinks(before).map(link => [JSON.stringify(link), link]),
  );
  for (const link of clusterLinks(after)) {
    if (!links.delete(JSON.stringify(link))) {
      clusters.add(link.from).add(link.to);
    }
  }
  for (const { from, to } of links.values()) clusters.add(from).add(to);
  return clusters;
}

const linked = new WeakMap<
  readonly ClusterMesh[],
  ReadonlyMap<string, ReadonlySet<string>>
>();

/** For each cluster the others that a link joins it to, in either direction. Kept for each list of meshes. */
export function linkedClusters(
  meshes: readonly ClusterMesh[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const known = linked.get(meshes);
  if (known) return known;
  const neighbours = new Map<string, Set<string>>();
  const add = (one: string, other: string) => {
    const set = neighbours.get(one);
    if (set) set.add(other);
    else neighbours.set(one, new Set([other]));
  };
  for (const { from, to } of clusterLinks(meshes)) {
    add(from, to);
    add(to, from);
  }
  linked.set(meshes, neighbours);
  return neighbours;
}
