import { FleetView } from '../catalog/analyseFleet';
import { expandLinks } from '../catalog/LinkGroups';
import {
  ServiceInstance,
  ServiceLink,
  ServiceView,
  Workload,
} from '../catalog/types';
import { Fact, isUnknown, unknown } from '../inventory/Fact';
import { Inventory } from '../inventory/Inventory';
import { watchedKinds } from '../inventory/kinds';
import { ManifestProblem } from '../inventory/parseManifests';
import { Finding } from '../rules/Finding';

/**
 * What the tool prints as JSON. Other tools read it: fields are added, and none is
 * taken away or given another meaning.
 */
export interface Report {
  now: string;
  clusters: Array<{
    name: string;
    coverage: Record<string, string>;
    versions: {
      kubernetes: Fact<string>;
      istio: Array<{ revision: string; version: Fact<string> }>;
    };
    mesh: {
      clusterId: Fact<string>;
      meshId: Fact<string>;
      network: Fact<string>;
      trustDomain: Fact<string>;
      clusterDomain: Fact<string>;
      tags: Array<{ tag: string; revision: string }>;
    };
  }>;
  namespaces: Array<{
    cluster: string;
    name: string;
    namespace: string;
    discovered: Fact<boolean>;
  }>;
  services: Array<{
    namespace: string;
    name: string;
    group: string;
    dataplane: Fact<string>;
    ready: Fact<number>;
    total: Fact<number>;
    partial: boolean;
    homonyms: string[];
    clusters: Array<{
      cluster: string;
      /** Name of the Service object, where a controller gave it another one. */
      name?: string;
      role: ServiceInstance['role'];
      type: ServiceInstance['type'];
      ports: ServiceInstance['ports'];
      ready: Fact<number>;
      total: Fact<number>;
      dataplane: Fact<string>;
      workloads: string[];
      waypoint?: ServiceInstance['waypoint'];
    }>;
    /** Each pair for itself, as other tools read it. */
    links: ServiceLink[];
  }>;
  workloads: Array<{
    cluster: string;
    namespace: string;
    name: string;
    kind: string;
    dataplane: Fact<string>;
    pods: Workload['pods'];
    requested: Workload['requested'];
    /** What most of its pods run; null where none of them has a proxy. */
    actual: Workload['actual'][number] | null;
    /** All that its pods run, where they differ. */
    actuals?: Workload['actual'];
    ambient?: Workload['ambient'];
    waypoint: Workload['waypoint'] | null;
  }>;
  findings: Finding[];
  problems: ManifestProblem[];
}

export function createReport(
  inventory: Inventory,
  view: FleetView,
  problems: ManifestProblem[],
  kubernetesVersions: ReadonlyMap<string, string>,
): Report {
  return {
    now: inventory.now,
    clusters: view.meshes.map(mesh => ({
      name: mesh.cluster,
      coverage: Object.fromEntries(
        watchedKinds.map(({ id }) => [
          id,
          inventory.coverage(id, mesh.cluster).state,
        ]),
      ),
      versions: {
        kubernetes:
          kubernetesVersions.get(mesh.cluster) ??
          unknown('not-reported', 'only a live cluster tells its version'),
        istio: mesh.revisions.flatMap(({ revision, controlPlane }) =>
          controlPlane ? [{ revision, version: controlPlane.version }] : [],
        ),
      },
      mesh: {
        clusterId: mesh.clusterId,
        meshId: mesh.meshId,
        network: mesh.network,
        trustDomain: mesh.trustDomain,
        clusterDomain: mesh.clusterDomain,
        tags: mesh.tags,
      },
    })),
    namespaces: view.namespaces.map(({ cluster, namespace, discovered }) => ({
      cluster,
      name: namespace,
      namespace,
      discovered,
    })),
    services: view.services.map(serviceRow),
    workloads: view.namespaces
      .flatMap(namespace => namespace.workloads)
      .map(workloadRow),
    findings: view.findings,
    problems,
  };
}

function count(
  endpoints: ServiceInstance['endpoints'],
  field: 'ready' | 'total',
): Fact<number> {
  return isUnknown(endpoints) ? endpoints : endpoints[field];
}

function serviceRow(service: ServiceView): Report['services'][number] {
  return {
    namespace: service.namespace,
    name: service.name,
    group: service.scope,
    dataplane: service.dataplane,
    ready: count(service.endpoints, 'ready'),
    total: count(service.endpoints, 'total'),
    partial: service.partial,
    homonyms: service.homonyms,
    clusters: service.instances.map(instance => ({
      cluster: instance.cluster,
      ...(instance.name !== service.name && { name: instance.name }),
      role: instance.role,
      type: instance.type,
      ports: instance.ports,
      ready: count(instance.endpoints, 'ready'),
      total: count(instance.endpoints, 'total'),
      dataplane: instance.dataplane,
      workloads: instance.workloads,
      ...(instance.waypoint && { waypoint: instance.waypoint }),
    })),
    links: expandLinks(service.links),
  };
}

function workloadRow(workload: Workload): Report['workloads'][number] {
  const { cluster, namespace, name, kind, dataplane, pods } = workload;
  const [actual, ...others] = [...workload.actual].sort(
    (a, b) => b.pods - a.pods,
  );
  return {
    cluster,
    namespace,
    name,
    kind,
    dataplane,
    pods,
    requested: workload.requested,
    actual: actual ?? null,
    ...(others.length > 0 && { actuals: workload.actual }),
    ...(workload.ambient && { ambient: workload.ambient }),
    waypoint: workload.waypoint ?? null,
  };
}
