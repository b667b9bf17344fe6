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

export function readLinkerd(
  inventory: Inventory,
  cluster: string,
): { linkerd?: ClusterMesh['linkerd']; links: DeclaredLink[] } {
  const controlPlane = inventory.get('Deployment.apps', {
    cluster,
    namespace: 'linkerd',
    name: 'linkerd-destination',
  });
  const links = inventory.list(linkKind, { cluster }).map(link => {
    // A Link says nothing of its own health; what it mirrors does.
    const reported = [
      ...mapsOf(link.status?.mirrorServices),
      ...mapsOf(link.status?.federatedServices),
    ].flatMap(service => mapsOf(service.conditions));
    const failing = reported.filter(condition => condition.status === 'False');
    const working = reported.some(condition => condition.status === 'True');
    const failed = failing.length > 0 && !working;
    return {
      mechanism: 'linkerd' as const,
      target: textOf(link.spec?.targetClusterName) ?? link.metadata.name,
      state: linkState(failed, working),
      ...(failed && {
        reason: `no service is mirrored: ${
          stringOf(failing[0].message) ?? stringOf(failing[0].reason)
        }`,
      }),
      ...(reported.length === 0 && {
        reason: 'the Link has no status: nothing reports what is mirrored',
      }),
      by: {
        kind: linkKind,
        namespace: link.metadata.namespace,
        name: link.metadata.name,
      },
    };
  });
  return {
    links,
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
