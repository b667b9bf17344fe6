import { isUnknown } from '../inventory/Fact';
import { ClusterNames, ClusterSet, nobody } from './ClusterNames';
import { ClusterMesh } from './mesh';
import { ServiceLink } from './types';

type Mechanism = 'istio' | 'linkerd' | 'cilium' | 'mcs' | 'consul';

/** Clusters that one cluster reads, all in the same state for the same reason. */
export interface ClusterLinkRow {
  state: ServiceLink['state'];
  reason?: string;
  to: ClusterSet;
}

/** How a link stands, whomever it joins. */
type Standing = Omit<ClusterLinkRow, 'to'>;

const drawn = new WeakMap<readonly ClusterMesh[], ClusterLinks>();

/**
 * Which cluster reads what runs in which others, for all services alike. What a single
 * service makes of it stands in `serviceLinks`.
 */
export class ClusterLinks {
  readonly names = ClusterNames.create();
  readonly #meshes: ReadonlyMap<string, ClusterMesh>;
  readonly #byId = new Map<string, ClusterMesh[]>();
  readonly #rows: Record<Mechanism, Map<string, ClusterLinkRow[]>> = {
    istio: new Map(),
    linkerd: new Map(),
    cilium: new Map(),
    mcs: new Map(),
    consul: new Map(),
  };
  readonly #linked = new Map<string, ReadonlySet<string>>();
  #inClusterSets: ReadonlyMap<string, string[]> | undefined;
  #networkGateways: ReadonlyMap<string, NetworkGateways> | undefined;

  /** The answer for a list of meshes is kept, since every service of a fleet is merged against the same one. */
  static of(meshes: readonly ClusterMesh[]): ClusterLinks {
    let links = drawn.get(meshes);
    if (!links) {
      links = new ClusterLinks(meshes);
      drawn.set(meshes, links);
    }
    return links;
  }

  private constructor(meshes: readonly ClusterMesh[]) {
    this.#meshes = new Map(meshes.map(mesh => [mesh.cluster, mesh]));
    for (const { cluster } of meshes) {
      this.names.bit(cluster);
    }
    for (const mesh of meshes) {
      if (!isUnknown(mesh.clusterId)) {
        push(this.#byId, mesh.clusterId, mesh);
      }
    }
    addIstio(this, meshes);
    addLinkerd(this, meshes);
    addCilium(this, meshes);
    addMcs(this, meshes);
    addConsul(this, meshes);
  }

  meshOf(cluster: string): ClusterMesh | undefined {
    return this.#meshes.get(cluster);
  }

  /** The clusters that go by an id in the mesh. */
  withId(id: string): readonly ClusterMesh[] {
    const byId = this.#byId.get(id);
    if (byId) {
      return byId;
    }
    const mesh = this.#meshes.get(id);
    return mesh && isUnknown(mesh.clusterId) ? [mesh] : [];
  }

  /** Adds what is not there yet. What is known goes before what is not. */
  add(mechanism: Mechanism, from: string, to: string, standing: Standing) {
    if (from === to) {
      return;
    }
    const bit = this.names.bit(to);
    const rows = this.rows(mechanism, from);
    const before = rows.find(row => (row.to & bit) !== nobody);
    if (before) {
      if (before.state !== 'unknown' || standing.state === 'unknown') {
        return;
      }
      before.to ^= bit;
    }
    const row = rows.find(
      ({ state, reason }) =>
        state === standing.state && reason === standing.reason,
    );
    if (row) {
      row.to |= bit;
    } else {
      push(this.#rows[mechanism], from, { ...standing, to: bit });
    }
  }

  /** What one cluster reads by a mechanism; a cluster is in one row at most. */
  rows(mechanism: Mechanism, from: string): readonly ClusterLinkRow[] {
    return this.#rows[mechanism].get(from) ?? [];
  }

  /** How the link from one cluster to another stands; undefined where there is none. */
  between(
    mechanism: Mechanism,
    from: string,
    to: string,
  ): ClusterLinkRow | undefined {
    const bit = this.names.bit(to);
    return this.rows(mechanism, from).find(row => (row.to & bit) !== nobody);
  }

  /** True where one cluster reads one of some others, and nothing speaks against it. */
  reads(mechanism: Mechanism, from: string, others: ClusterSet): boolean {
    return this.rows(mechanism, from).some(
      ({ state, to }) => state === 'active' && (to & others) !== nobody,
    );
  }

  /** All that is said of what a cluster reads: the names of the others by how the link stands. */
  described(from: string): ReadonlyMap<string, string[]> {
    return new Map(
      Object.entries(this.#rows).flatMap(([mechanism, rows]) =>
        (rows.get(from) ?? []).map(({ state, reason, to }) => [
          JSON.stringify([mechanism, state, reason]),
          this.names.namesIn(to),
        ]),
      ),
    );
  }

  /** Clusters from which there is a link. */
  sources(): Set<string> {
    return new Set(Object.values(this.#rows).flatMap(rows => [...rows.keys()]));
  }

  /** The others that a link joins a cluster to, in either direction and whatever its state. */
  linked(cluster: string): ReadonlySet<string> {
    let linked = this.#linked.get(cluster);
    if (!linked) {
      const own = this.names.bit(cluster);
      let others = nobody;
      for (const bySource of Object.values(this.#rows)) {
        for (const [from, rows] of bySource) {
          for (const { to } of rows) {
            if (from === cluster) {
              others |= to;
            } else if ((to & own) !== nobody) {
              others |= this.names.bit(from);
            }
          }
        }
      }
      linked = new Set(this.names.namesIn(others));
      this.#linked.set(cluster, linked);
    }
    return linked;
  }

  /** Clusters that go by one of these names in a ServiceImport's status. */
  namedInClusterSet(names: readonly string[]): ClusterSet {
    this.#inClusterSets ??= namesInClusterSets([...this.#meshes.values()]);
    return this.names.setOf(
      names.flatMap(name => this.#inClusterSets!.get(name) ?? []),
    );
  }

  /** What leads into a network, from anywhere in the fleet. */
  gatewaysOf(network: string): NetworkGateways {
    this.#networkGateways ??= gatewaysByNetwork([...this.#meshes.values()]);
    return this.#networkGateways.get(network) ?? { usable: false };
  }
}

/** Whether a network can be entered, and why a gateway that it has is not used. */
export interface NetworkGateways {
  usable: boolean;
  ignored?: string;
}

/**
 * For each cluster the others that a link joins it to, in either direction. Drawn once
 * for each list of meshes.
 *
 * @public
 */
export function linkedClusters(
  meshes: readonly ClusterMesh[],
  cluster: string,
): ReadonlySet<string> {
  return ClusterLinks.of(meshes).linked(cluster);
}

/**
 * Clusters whose links to or from others differ between two states of the meshes.
 *
 * @public
 */
export function clustersWithChangedLinks(
  before: readonly ClusterMesh[],
  after: readonly ClusterMesh[],
): Set<string> {
  const clusters = new Set<string>();
  if (before === after) {
    return clusters;
  }
  const [old, now] = [ClusterLinks.of(before), ClusterLinks.of(after)];
  for (const from of new Set([...old.sources(), ...now.sources()])) {
    const [was, is] = [old.described(from), now.described(from)];
    for (const standing of new Set([...was.keys(), ...is.keys()])) {
      for (const to of differing(
        was.get(standing) ?? [],
        is.get(standing) ?? [],
      )) {
        clusters.add(from).add(to);
      }
    }
  }
  return clusters;
}

function differing(one: string[], other: string[]): string[] {
  const [a, b] = [new Set(one), new Set(other)];
  return [
    ...one.filter(name => !b.has(name)),
    ...other.filter(name => !a.has(name)),
  ];
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const values = map.get(key);
  if (values) {
    values.push(value);
  } else {
    map.set(key, [value]);
  }
}

export function hasControlPlane(mesh: ClusterMesh): boolean {
  return mesh.revisions.some(one => one.controlPlane);
}

/** What a cluster declares by a mechanism, by the names that the mechanism uses. */
function declaredBy(
  mesh: ClusterMesh,
  mechanism: 'istio' | 'cilium',
): Set<string> {
  return new Set(
    mesh.declaredLinks
      .filter(link => link.mechanism === mechanism)
      .map(link => link.target),
  );
}

function addIstio(links: ClusterLinks, meshes: readonly ClusterMesh[]): void {
  const declared = new Map(
    meshes.map(mesh => [mesh, declaredBy(mesh, 'istio')]),
  );
  const add = (from: ClusterMesh, reader: ClusterMesh, to: ClusterMesh) =>
    links.add('istio', from.cluster, to.cluster, standingBetween(reader, to));
  const readBy = (primary: ClusterMesh) =>
    [...declared.get(primary)!]
      .flatMap(id => links.withId(id))
      .filter(target => target.cluster !== primary.cluster);

  for (const mesh of meshes) {
    for (const target of readBy(mesh)) {
      add(mesh, mesh, target);
    }
  }
  // The proxies of a cluster without a control plane of its own are served by the
  // control planes that read it, and see what these see.
  const primaries = meshes.filter(hasControlPlane);
  for (const remote of meshes.filter(mesh => !hasControlPlane(mesh))) {
    for (const primary of primaries) {
      if (isPrimaryOf(primary, remote, declared.get(primary)!)) {
        for (const target of [primary, ...readBy(primary)]) {
          add(remote, primary, target);
        }
      }
    }
  }
  for (const mesh of meshes) {
    const reason = mesh.linksUnknown.istio;
    if (reason) {
      for (const other of meshes) {
        if (other !== mesh && mayBeOneMesh(mesh, other)) {
          links.add('istio', mesh.cluster, other.cluster, {
            state: 'unknown',
            reason,
          });
        }
      }
    }
  }
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

function isPrimaryOf(
  primary: ClusterMesh,
  remote: ClusterMesh,
  declared: ReadonlySet<string>,
): boolean {
  if (isUnknown(remote.clusterId) || !declared.has(remote.clusterId)) {
    return false;
  }
  const named = remote.controlPlaneClusters;
  return (
    named.length === 0 ||
    named.includes('*') ||
    (!isUnknown(primary.clusterId) && named.includes(primary.clusterId))
  );
}

function standingBetween(reader: ClusterMesh, to: ClusterMesh): Standing {
  const [own, other] = [reader.meshId, to.meshId];
  if (!isUnknown(own) && !isUnknown(other) && own !== other) {
    return {
      state: 'broken',
      reason: `the mesh ids differ (${own} and ${other}): these are two meshes`,
    };
  }
  return { state: 'active' };
}

function addLinkerd(links: ClusterLinks, meshes: readonly ClusterMesh[]): void {
  for (const { cluster, declaredLinks } of meshes) {
    for (const { mechanism, target, state, reason } of declaredLinks) {
      if (mechanism === 'linkerd') {
        links.add('linkerd', cluster, target, {
          state,
          ...(reason && { reason }),
        });
      }
    }
  }
}

function addCilium(links: ClusterLinks, meshes: readonly ClusterMesh[]): void {
  const members = meshes.filter(
    ({ cilium }) => cilium && cilium.clusterMesh !== false,
  );
  for (const from of members) {
    const declared = declaredBy(from, 'cilium');
    const own = from.cilium!;
    for (const to of members) {
      const { clusterId, clusterName } = to.cilium!;
      // Two clusters with one id or name cannot be connected.
      if (clusterId !== own.clusterId && clusterName !== own.clusterName) {
        links.add(
          'cilium',
          from.cluster,
          to.cluster,
          !isUnknown(clusterName) && declared.has(clusterName)
            ? { state: 'active' }
            : {
                state: 'unknown',
                ...(from.linksUnknown.cilium && {
                  reason: from.linksUnknown.cilium,
                }),
              },
        );
      }
    }
  }
}

function addMcs(links: ClusterLinks, meshes: readonly ClusterMesh[]): void {
  const members = meshes.filter(mesh => mesh.mcs.installed === true);
  for (const from of members) {
    for (const to of members) {
      const [own, other] = [from.mcs.clusterSet, to.mcs.clusterSet];
      if (own === undefined || other === undefined) {
        links.add('mcs', from.cluster, to.cluster, {
          state: 'unknown',
          reason:
            'no ClusterProperty says to which cluster set the clusters belong',
        });
      } else if (own === other) {
        links.add('mcs', from.cluster, to.cluster, { state: 'active' });
      }
    }
  }
}

function addConsul(links: ClusterLinks, meshes: readonly ClusterMesh[]): void {
  for (const { cluster, consul } of meshes) {
    for (const { name, synced } of consul?.peers ?? []) {
      links.add(
        'consul',
        cluster,
        name,
        synced === false
          ? {
              state: 'broken',
              reason: 'the peering was not written to Consul',
            }
          : {
              state: 'unknown',
              reason:
                'whether the peering is connected is known to Consul alone',
            },
      );
    }
  }
}

function gatewaysByNetwork(
  meshes: readonly ClusterMesh[],
): ReadonlyMap<string, NetworkGateways> {
  const gateways = new Map<string, NetworkGateways>();
  const add = (network: string, ignored?: string) => {
    const before = gateways.get(network);
    if (ignored === undefined) {
      gateways.set(network, { usable: true });
    } else if (!before) {
      gateways.set(network, { usable: false, ignored });
    }
  };
  for (const { revisions, networkGateways } of meshes) {
    revisions
      .flatMap(revision => revision.networksWithGateways)
      .forEach(network => add(network));
    networkGateways.forEach(({ network, ignored }) => add(network, ignored));
  }
  return gateways;
}

/** Implementations write a cluster's ClusterProperty, its name or its id in the mesh. */
function namesInClusterSets(
  meshes: readonly ClusterMesh[],
): ReadonlyMap<string, string[]> {
  const clusters = new Map<string, string[]>();
  for (const { cluster, clusterId, mcs } of meshes) {
    const names = [
      mcs.clusterProperty,
      cluster,
      isUnknown(clusterId) ? undefined : clusterId,
    ].filter(name => name !== undefined);
    for (const name of new Set(names)) {
      push(clusters, name, cluster);
    }
  }
  return clusters;
}
