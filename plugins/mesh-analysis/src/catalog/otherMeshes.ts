import { factUnless, gapIn } from '../inventory/coverage';
import { Fact, unknown } from '../inventory/Fact';
import {
  labelsOf,
  mapOf,
  mapsOf,
  stringOf,
  textOf,
  versionOfImage,
} from '../inventory/fields';
import { FleetObject } from '../inventory/FleetObject';
import { Inventory } from '../inventory/Inventory';
import { ClusterMesh, DeclaredLink } from './mesh';

const linkKind = 'Link.multicluster.linkerd.io';

export function imageVersion(
  workload: FleetObject | undefined,
  container: string,
): Fact<string> {
  const containers = mapsOf(
    mapOf(mapOf(workload?.spec?.template).spec).containers,
  );
  return (
    versionOfImage(
      (containers.find(one => one.name === container) ?? containers[0])?.image,
    ) ??
    textOf(labelsOf(workload)['app.kubernetes.io/version']) ??
    unknown('not-reported', 'neither image nor labels name a version')
  );
}

export interface LinkerdReading {
  linkerd?: ClusterMesh['linkerd'];
  links: DeclaredLink[];
  /** Services that a Link should mirror and does not. */
  failures: Array<{
    target: string;
    link: { namespace?: string; name: string };
    service: { namespace?: string; name: string };
    reason: string;
    message?: string;
  }>;
}

export function readLinkerd(
  inventory: Inventory,
  cluster: string,
): LinkerdReading {
  const controlPlane = inventory.get('Deployment.apps', {
    cluster,
    namespace: 'linkerd',
    name: 'linkerd-destination',
  });
  const failures: LinkerdReading['failures'] = [];
  const links = inventory.list(linkKind, { cluster }).map(link => {
    const { namespace, name } = link.metadata;
    const target = textOf(link.spec?.targetClusterName) ?? name;
    const failed = failuresOf(link).map(failure => ({
      target,
      link: { ...(namespace !== undefined && { namespace }), name },
      ...failure,
    }));
    failures.push(...failed);
    // A Link says nothing of its own health; what it mirrors does.
    const working = reportedServices(link).some(({ conditions }) =>
      conditions.some(condition => condition.status === 'True'),
    );
    const broken = failed.length > 0 && !working;
    const reason = broken
      ? `nothing is mirrored: ${failed[0].message ?? failed[0].reason}`
      : 'the Link has no status: nothing reports what is mirrored';
    return {
      mechanism: 'linkerd' as const,
      target,
      state: linkState(broken, working),
      ...(!working && { reason }),
      by: {
        kind: linkKind,
        ...(namespace !== undefined && { namespace }),
        name,
      },
    };
  });
  return {
    links,
    failures,
    ...((controlPlane || links.length > 0) && {
      linkerd: {
        controlPlane: controlPlane !== undefined,
        version: controlPlane
          ? imageVersion(controlPlane, 'destination')
          : unknown('not-reported', 'no control plane was found'),
      },
    }),
  };
}

function reportedServices(link: FleetObject) {
  return [
    ...mapsOf(link.status?.mirrorServices),
    ...mapsOf(link.status?.federatedServices),
  ].map(service => ({
    remote: mapOf(service.remoteRef),
    conditions: mapsOf(service.conditions),
  }));
}

function failuresOf(link: FleetObject) {
  return reportedServices(link).flatMap(({ remote, conditions }) => {
    const failed = conditions.find(condition => condition.status === 'False');
    if (!failed) {
      return [];
    }
    const namespace = textOf(remote.namespace);
    const message = textOf(failed.message);
    return [
      {
        service: {
          ...(namespace && { namespace }),
          name: textOf(remote.name) ?? link.metadata.name,
        },
        reason: stringOf(failed.reason) ?? 'not mirrored',
        ...(message && { message }),
      },
    ];
  });
}

function linkState(failed: boolean, working: boolean): DeclaredLink['state'] {
  if (failed) {
    return 'broken';
  }
  return working ? 'active' : 'unknown';
}

export function readCilium(
  inventory: Inventory,
  cluster: string,
): ClusterMesh['cilium'] {
  for (const namespace of ['kube-system', 'cilium']) {
    const config = inventory.get('ConfigMap', {
      cluster,
      namespace,
      name: 'cilium-config',
    });
    if (!config) {
      continue;
    }
    const data = mapOf(config.data);
    const apiServer = inventory.get('Deployment.apps', {
      cluster,
      namespace,
      name: 'clustermesh-apiserver',
    });
    const clusterId = textOf(data['cluster-id']);
    return {
      clusterName: textOf(data['cluster-name']) ?? 'default',
      clusterId: clusterId ?? '0',
      clusterMesh:
        clusterId !== undefined &&
        clusterId !== '0' &&
        factUnless(
          gapIn(inventory, 'Deployment.apps', cluster),
          apiServer !== undefined,
          () => apiServer !== undefined,
        ),
      mcsApi: data['clustermesh-enable-mcs-api'] === 'true',
      defaultGlobalNamespace:
        data['clustermesh-default-global-namespace'] !== 'false',
      cacheTtl: textOf(data['clustermesh-cache-ttl']) ?? '0',
    };
  }
  return undefined;
}

export function readConsul(
  inventory: Inventory,
  cluster: string,
): ClusterMesh['consul'] {
  const peers = (['acceptor', 'dialer'] as const).flatMap(role =>
    inventory
      .list(
        role === 'acceptor'
          ? 'PeeringAcceptor.consul.hashicorp.com'
          : 'PeeringDialer.consul.hashicorp.com',
        { cluster },
      )
      .map(peering => {
        const synced = mapsOf(peering.status?.conditions).find(
          condition => condition.type === 'Synced',
        );
        return {
          name: peering.metadata.name,
          role,
          synced: synced
            ? synced.status === 'True'
            : unknown('not-reported', 'no Synced condition'),
        };
      }),
  );
  const exports = inventory
    .list('ExportedServices.consul.hashicorp.com', { cluster })
    .flatMap(exported => mapsOf(exported.spec?.services))
    .filter(service => textOf(service.name) !== undefined)
    .map(service => ({
      service: service.name as string,
      ...(textOf(service.namespace) && {
        namespace: service.namespace as string,
      }),
      peers: mapsOf(service.consumers)
        .map(consumer => textOf(consumer.peer))
        .filter(peer => peer !== undefined),
    }));
  return peers.length + exports.length > 0 ? { peers, exports } : undefined;
}

export function readMcs(
  inventory: Inventory,
  cluster: string,
): ClusterMesh['mcs'] {
  const kind = 'ServiceImport.multicluster.x-k8s.io';
  const { state } = inventory.coverage(kind, cluster);
  const property = (name: string) =>
    textOf(
      mapOf(
        inventory.get('ClusterProperty.about.k8s.io', { cluster, name })?.spec,
      ).value,
    );
  const clusterSet = property('clusterset.k8s.io');
  const clusterProperty = property('cluster.clusterset.k8s.io');
  return {
    installed:
      state === 'absent-api' ? false : gapIn(inventory, kind, cluster) ?? true,
    ...(clusterSet && { clusterSet }),
    ...(clusterProperty && { clusterProperty }),
  };
}
