import { isUnknown } from '../inventory/Fact';
import { hostMatches } from '../inventory/hosts';
import { ClusterLinks, ClusterLinkRow } from './clusterLinks';
import { ClusterSet, nobody } from './ClusterNames';
import { LinkGroups, LinkKind } from './LinkGroups';
import { ClusterMesh } from './mesh';
import { LinkMechanism, ServiceInstance } from './types';

/**
 * What the links between clusters carry for one service. Each cluster is looked at once
 * for what it reads and once for what it offers; what follows for its links to all the
 * others is a matter of sets.
 */
export function serviceLinks(
  instances: readonly ServiceInstance[],
  clusters: ClusterLinks,
): LinkGroups {
  const links = LinkGroups.create(clusters.names);
  const own = new Map<string, ServiceInstance>();
  for (const instance of instances) {
    if (instance.role !== 'mirror' && instance.role !== 'derived') {
      own.set(instance.cluster, instance);
    }
  }
  if (own.size > 1) {
    const offers = offersOf([...own.values()], clusters);
    for (const instance of own.values()) {
      addIstio(links, instance, offers, clusters);
      addCilium(links, instance, offers, clusters);
      addMcs(links, instance, offers, clusters);
      addConsul(links, instance, offers, clusters);
    }
  }
  for (const instance of instances) {
    addMirror(links, instance, clusters);
  }
  return links;
}

/** Which clusters offer the service to others, by what the mechanisms look at. */
interface Offers {
  all: ClusterSet;
  exported: ClusterSet;
  exportUnknown: ClusterSet;
  ambientLocal: ClusterSet;
  ambientUnknown: ClusterSet;
  ciliumGlobal: ClusterSet;
  ciliumShared: ClusterSet;
  /** For each peer of Consul the clusters that export to it. */
  consul: ReadonlyMap<string, ClusterSet>;
}

function offersOf(
  instances: readonly ServiceInstance[],
  clusters: ClusterLinks,
): Offers {
  const setOf = (takes: (instance: ServiceInstance) => boolean) =>
    clusters.names.setOf(instances.filter(takes).map(({ cluster }) => cluster));
  const scopeOf = ({ dataplane, reach }: ServiceInstance) =>
    dataplane === 'ambient' ? reach?.ambientScope ?? 'local' : 'global';
  return {
    all: setOf(() => true),
    exported: setOf(({ reach }) => reach?.exported === true),
    exportUnknown: setOf(
      ({ reach }) => reach !== undefined && isUnknown(reach.exported),
    ),
    ambientLocal: setOf(instance => scopeOf(instance) === 'local'),
    ambientUnknown: setOf(instance => isUnknown(scopeOf(instance))),
    ciliumGlobal: setOf(isCiliumGlobal),
    ciliumShared: setOf(isCiliumShared),
    consul: consulOffers(instances, clusters),
  };
}

function consulOffers(
  instances: readonly ServiceInstance[],
  clusters: ClusterLinks,
): ReadonlyMap<string, ClusterSet> {
  const offers = new Map<string, ClusterSet>();
  for (const { cluster, name } of instances) {
    for (const { service, peers } of clusters.meshOf(cluster)?.consul
      ?.exports ?? []) {
      if (service === name || service === '*') {
        for (const peer of peers) {
          offers.set(
            peer,
            (offers.get(peer) ?? nobody) | clusters.names.bit(cluster),
          );
        }
      }
    }
  }
  return offers;
}

function likeItsRow(
  mechanism: LinkMechanism,
  { state, reason }: ClusterLinkRow,
): LinkKind {
  return { mechanism, state, ...(reason && { reason }) };
}

function addIstio(
  links: LinkGroups,
  instance: ServiceInstance,
  offers: Offers,
  clusters: ClusterLinks,
): void {
  const mechanism = 'istio' as const;
  const from = instance.cluster;
  const mesh = clusters.meshOf(from);
  const local = clusterLocal(mesh, instance);
  const mcs = mesh?.revisions[0]?.mcs;
  for (const row of clusters.rows('istio', from)) {
    const to = row.to & offers.all;
    if (row.state === 'broken') {
      // Two meshes: the link is reported with the clusters, and joins no service.
    } else if (local) {
      links.add({ mechanism, state: 'suppressed', reason: local }, from, to);
    } else if (mcs && !isUnknown(mcs) && mcs.serviceDiscovery) {
      const { exported, exportUnknown } = offers;
      links.add(likeItsRow('istio-mcs', row), from, to & exported);
      links.add(
        {
          mechanism: 'istio-mcs',
          state: 'unknown',
          reason: 'whether the service is exported there is not known',
        },
        from,
        to & exportUnknown,
      );
      links.add(
        {
          mechanism: 'istio-mcs',
          state: 'suppressed',
          reason:
            'ENABLE_MCS_SERVICE_DISCOVERY is on, and the service is not exported there',
        },
        from,
        to & ~(exported | exportUnknown),
      );
    } else {
      const { ambientLocal, ambientUnknown } = offers;
      links.add(
        likeItsRow(mechanism, row),
        from,
        to & ~(ambientLocal | ambientUnknown),
      );
      links.add(
        {
          mechanism,
          state: 'unknown',
          reason: 'the scope of the service in ambient is not known',
        },
        from,
        to & ambientUnknown,
      );
      links.add(
        {
          mechanism,
          state: 'suppressed',
          reason:
            'in ambient a service stays in its cluster unless serviceScopeConfigs makes it GLOBAL',
        },
        from,
        to & ambientLocal,
      );
    }
  }
}

/** Why a service never leaves its cluster, or undefined. */
export function clusterLocal(
  mesh: ClusterMesh | undefined,
  { namespace, name }: { namespace: string; name: string },
): string | undefined {
  const domain =
    mesh && !isUnknown(mesh.clusterDomain)
      ? mesh.clusterDomain
      : 'cluster.local';
  const host = `${name}.${namespace}.svc.${domain}`;
  const revision = mesh?.revisions[0];
  const taken = revision?.notClusterLocalHosts.some(pattern =>
    hostMatches(pattern, host),
  );
  if (
    !taken &&
    (namespace === 'kube-system' ||
      (namespace === 'default' && name === 'kubernetes'))
  ) {
    return 'system services stay in their cluster';
  }
  const hosts = revision?.clusterLocalHosts ?? [];
  const pattern = isUnknown(hosts)
    ? undefined
    : hosts.find(one => hostMatches(one, host));
  return pattern === undefined
    ? undefined
    : `serviceSettings of the mesh keeps ${pattern} in its cluster`;
}

function ciliumAnnotation(instance: ServiceInstance, name: string) {
  return (
    instance.annotations[`service.cilium.io/${name}`] ??
    instance.annotations[`io.cilium/${name}-service`]
  );
}

export function isCiliumGlobal(instance: ServiceInstance): boolean {
  return (
    ciliumAnnotation(instance, 'global') === 'true' &&
    instance.reach?.ciliumNamespaceGlobal !== false
  );
}

function isCiliumShared(instance: ServiceInstance): boolean {
  return (ciliumAnnotation(instance, 'shared') ?? 'true') === 'true';
}

function addCilium(
  links: LinkGroups,
  { cluster: from }: ServiceInstance,
  { all, ciliumGlobal, ciliumShared }: Offers,
  clusters: ClusterLinks,
): void {
  const mechanism = 'cilium-global' as const;
  const oneSided: LinkKind = {
    mechanism,
    state: 'broken',
    reason:
      'the service is global in one of the two only; it has to be in both',
  };
  const isGlobal = (clusters.names.bit(from) & ciliumGlobal) !== nobody;
  for (const row of clusters.rows('cilium', from)) {
    const to = row.to & all;
    if (isGlobal) {
      const global = to & ciliumGlobal;
      links.add(oneSided, from, to & ~ciliumGlobal);
      links.add(likeItsRow(mechanism, row), from, global & ciliumShared);
      links.add(
        {
          mechanism,
          state: 'suppressed',
          reason:
            'the backends there are not shared (service.cilium.io/shared=false)',
        },
        from,
        global & ~ciliumShared,
      );
    } else {
      links.add(oneSided, from, to & ciliumGlobal);
    }
  }
}

function addMcs(
  links: LinkGroups,
  { cluster: from, reach }: ServiceInstance,
  { all, exported }: Offers,
  clusters: ClusterLinks,
): void {
  const mechanism = 'mcs' as const;
  if (reach?.imported !== true) {
    return;
  }
  const named =
    reach.importedFrom && clusters.namedInClusterSet(reach.importedFrom);
  for (const row of clusters.rows('mcs', from)) {
    const to = row.to & all & exported;
    if (named === undefined) {
      links.add(likeItsRow(mechanism, row), from, to);
    } else {
      links.add({ mechanism, state: 'active' }, from, to & named);
      links.add(
        {
          mechanism,
          state: 'broken',
          reason: 'the ServiceImport does not name it among its clusters',
        },
        from,
        to & ~named,
      );
    }
  }
}

function addConsul(
  links: LinkGroups,
  { cluster: from }: ServiceInstance,
  { consul }: Offers,
  clusters: ClusterLinks,
): void {
  const offered = consul.get(from);
  if (offered !== undefined) {
    for (const row of clusters.rows('consul', from)) {
      links.add(likeItsRow('consul', row), from, row.to & offered);
    }
  }
}

/** A mirror is the link: traffic to it goes to the cluster that it mirrors. */
function addMirror(
  links: LinkGroups,
  { cluster: from, role, mirrorOf, annotations }: ServiceInstance,
  clusters: ClusterLinks,
): void {
  if (role !== 'mirror' || !mirrorOf) {
    return;
  }
  const federated = annotations['multicluster.linkerd.io/remote-discovery'];
  const targets = federated
    ? federated
        .split(',')
        .map(item => item.trim().split('@')[1])
        .filter(cluster => cluster !== undefined && cluster !== '')
    : [mirrorOf.cluster];
  const mechanism = federated ? 'linkerd-federated' : 'linkerd-mirror';
  for (const to of targets) {
    const row = clusters.between('linkerd', from, to);
    links.add(
      row
        ? likeItsRow(mechanism, row)
        : {
            mechanism,
            state: 'unknown',
            reason: 'no Link to it was found where the mirror is',
          },
      from,
      clusters.names.bit(to),
    );
  }
}
