import { analyseFleet, FleetView } from '../catalog/analyseFleet';
import { expandLinks } from '../catalog/LinkGroups';
import { AnalysisOptions } from '../catalog/mesh';
import { NamespaceView, ServiceView, Workload } from '../catalog/types';
import {
  createInventory,
  InventoryCluster,
} from '../inventory/createInventory';
import { ManifestObject } from '../inventory/FleetObject';
import { now } from './objects';

type Clusters = Record<
  string,
  | ManifestObject[]
  | { objects: ManifestObject[]; coverage: InventoryCluster['coverage'] }
>;

/** Analyses clusters that are given by their objects. */
export function analyse(
  clusters: Clusters,
  options?: AnalysisOptions & { ownerLabels?: string[] },
): FleetView {
  return analyseFleet(
    createInventory({
      now,
      clusters: Object.entries(clusters).map(([name, content]) =>
        Array.isArray(content)
          ? { name, objects: content }
          : { name, ...content },
      ),
    }),
    options,
  );
}

/** Rules of all findings, each once. */
export function rulesOf(view: { findings: Array<{ rule: string }> }): string[] {
  return [...new Set(view.findings.map(finding => finding.rule))].sort();
}

export function servicesNamed(view: FleetView, name: string): ServiceView[] {
  return view.services.filter(service => service.name === name);
}

export function serviceNamed(view: FleetView, name: string): ServiceView {
  const [service, ...others] = servicesNamed(view, name);
  if (!service || others.length > 0) {
    throw new Error(`${others.length + (service ? 1 : 0)} services ${name}`);
  }
  return service;
}

export function namespaceIn(
  view: FleetView,
  cluster: string,
  namespace: string,
): NamespaceView {
  return view.namespaces.find(
    one => one.cluster === cluster && one.namespace === namespace,
  )!;
}

export function workloadNamed(view: FleetView, name: string): Workload {
  return view.namespaces
    .flatMap(one => one.workloads)
    .find(workload => workload.name === name)!;
}

/** Links as `a>b mechanism state`. */
export function linksOf(service: ServiceView): string[] {
  return expandLinks(service.links)
    .map(
      ({ from, to, mechanism, state }) => `${from}>${to} ${mechanism} ${state}`,
    )
    .sort();
}
