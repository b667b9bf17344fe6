import { Inventory } from '../inventory/Inventory';
import { gapIn } from '../inventory/coverage';
import { Finding } from '../rules/Finding';
import { analyseCluster } from './analyseCluster';
import { analyseNamespace } from './analyseNamespace';
import { logicalNameOf } from './artefacts';
import { fleetFindings } from './fleetFindings';
import { AnalysisOptions, ClusterMesh } from './mesh';
import { mergeService, NamespacePresence } from './mergeService';
import { NamespaceView, ServiceInstance, ServiceView, Workload } from './types';

/**
 * Everything that the topic says of a fleet.
 *
 * @public
 */
export interface FleetView {
  meshes: ClusterMesh[];
  namespaces: NamespaceView[];
  services: ServiceView[];
  /** Those of clusters, of links between clusters, of namespaces and of services. */
  findings: Finding[];
}

/** Kinds whose objects show that a namespace exists, where Namespaces are not listed. */
const inhabitants = [
  'Service',
  'Pod',
  'Deployment.apps',
  'StatefulSet.apps',
  'DaemonSet.apps',
];

/**
 * Analyses a whole inventory at once, unit by unit as the backend does it. For the
 * command line tool, for tests and benchmarks.
 *
 * @public
 */
export function analyseFleet(
  inventory: Inventory,
  options: AnalysisOptions & { ownerLabels?: string[] } = {},
): FleetView {
  const clusters = inventory.clusters();
  const meshes = clusters.map(cluster =>
    analyseCluster(inventory, cluster, options),
  );
  const namespaces = clusters.flatMap((cluster, index) =>
    namespacesOf(inventory, cluster).map(namespace =>
      analyseNamespace(inventory, meshes[index], { cluster, namespace }),
    ),
  );
  const services = mergeServices(inventory, meshes, namespaces, options);
  return {
    meshes,
    namespaces,
    services,
    findings: [
      ...meshes.flatMap(mesh => mesh.findings),
      ...fleetFindings(meshes),
      ...namespaces.flatMap(view => view.findings),
      ...services.flatMap(service => service.findings),
    ],
  };
}

function namespacesOf(inventory: Inventory, cluster: string): string[] {
  const names = new Set(
    inventory
      .list('Namespace', { cluster })
      .map(namespace => namespace.metadata.name),
  );
  for (const kind of inhabitants) {
    for (const { metadata } of inventory.list(kind, { cluster })) {
      names.add(metadata.namespace ?? 'default');
    }
  }
  return [...names].sort();
}

/**
 * What a namespace's view says about callers in it.
 *
 * @public
 */
export function namespacePresence(
  view: NamespaceView,
  present: NamespacePresence['present'] = true,
): NamespacePresence {
  return {
    cluster: view.cluster,
    present,
    readers: view.workloads.some(
      ({ dataplane }) => dataplane === 'sidecar' || dataplane === 'mixed',
    ),
  };
}

/**
 * The workloads of a namespace that are behind one of its Services.
 *
 * @public
 */
export function workloadsBehind(
  instance: ServiceInstance,
  view: NamespaceView,
): Workload[] {
  return view.workloads.filter(({ kind, name }) =>
    instance.workloads.includes(`${kind}/${name}`),
  );
}

function mergeServices(
  inventory: Inventory,
  meshes: ClusterMesh[],
  views: NamespaceView[],
  options: { ownerLabels?: string[] },
): ServiceView[] {
  const presence = new Map<string, Map<string, NamespacePresence>>();
  for (const view of views) {
    const known = presence.get(view.namespace) ?? new Map();
    known.set(view.cluster, namespacePresence(view));
    presence.set(view.namespace, known);
  }
  const clusters = inventory.clusters();
  const unknownClusters = clusters.filter(
    cluster => gapIn(inventory, 'Service', cluster) !== undefined,
  );
  const groups = new Map<
    string,
    {
      namespace: string;
      name: string;
      instances: Array<{ instance: ServiceInstance; workloads: Workload[] }>;
    }
  >();
  for (const view of views) {
    const byName = new Map(
      view.workloads.map(workload => [
        `${workload.kind}/${workload.name}`,
        workload,
      ]),
    );
    for (const instance of view.services) {
      const logical = logicalNameOf(instance);
      const key = `${logical.namespace}/${logical.name}`;
      const group = groups.get(key) ?? { ...logical, instances: [] };
      groups.set(key, group);
      group.instances.push({
        instance,
        workloads: instance.workloads
          .map(name => byName.get(name))
          .filter(workload => workload !== undefined),
      });
    }
  }
  return [...groups.values()].flatMap(group => {
    const known = presence.get(group.namespace);
    return mergeService({
      ...group,
      meshes,
      namespaces: clusters.map(
        cluster =>
          known?.get(cluster) ?? {
            cluster,
            present: gapIn(inventory, 'Namespace', cluster) ?? false,
          },
      ),
      unknownClusters,
      ...(options.ownerLabels && { ownerLabels: options.ownerLabels }),
    });
  });
}
