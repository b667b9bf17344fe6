import { factUnless, gapIn } from '../inventory/coverage';
import { Fact, isUnknown, unknown } from '../inventory/Fact';
import {
  annotationsOf,
  labelsOf,
  mapOf,
  mapsOf,
  numberOf,
  stringOf,
  textOf,
} from '../inventory/fields';
import { FleetObject } from '../inventory/FleetObject';
import { Inventory } from '../inventory/Inventory';
import { selects, serviceSelects } from '../inventory/selectors';
import { artefactOf, derivedNames } from './artefacts';
import { countEndpoints, slicesByService } from './endpoints';
import { ClusterMesh } from './mesh';
import { namespaceFindings } from './namespaceFindings';
import {
  NamespaceView,
  ServiceInstance,
  ServicePort,
  ServiceReach,
} from './types';
import { resolveWaypoint } from './waypoint';
import { combine, JudgedWorkload, readWorkloads } from './workloads';

const exportKinds = [
  'ServiceExport.multicluster.x-k8s.io',
  'ServiceExport.net.gke.io',
];
const importKinds = [
  'ServiceImport.multicluster.x-k8s.io',
  'ServiceImport.net.gke.io',
];

/**
 * What one namespace of one cluster holds, and how it takes part in the mesh. Reads
 * that namespace, and a waypoint of another one where a label names it.
 *
 * @public
 */
export function analyseNamespace(
  inventory: Inventory,
  mesh: ClusterMesh | undefined,
  scope: { cluster: string; namespace: string },
): NamespaceView {
  const { cluster, namespace: name } = scope;
  const object = inventory.get('Namespace', { cluster, name });
  const namespace = {
    cluster,
    name,
    labels: labelsOf(object),
    annotations: annotationsOf(object),
  };
  const workloads = readWorkloads(inventory, mesh, namespace);
  for (const judged of workloads) {
    const waypoint = resolveWaypoint(inventory, {
      cluster,
      namespace,
      labels: judged.template.labels,
      by: `${judged.workload.kind}/${judged.workload.name}`,
      serves: 'workload',
    });
    // A waypoint for services, named by the namespace, is no fault of a workload.
    if (waypoint && inAmbient(judged) && waypoint.state !== 'unsupported') {
      judged.workload.waypoint = waypoint;
    }
  }
  const discovered = discoveredFact(
    inventory,
    mesh,
    cluster,
    object,
    namespace,
  );
  const services = readServices(inventory, mesh, namespace, workloads);
  return {
    cluster,
    namespace: name,
    discovered,
    labels: { ...namespace.labels },
    services,
    workloads: workloads.map(judged => judged.workload),
    findings: namespaceFindings({
      mesh,
      namespace,
      exists: factUnless(
        gapIn(inventory, 'Namespace', cluster),
        object !== undefined,
        () => object !== undefined,
      ),
      discovered,
      workloads,
      services,
    }),
  };
}

function inAmbient({ workload }: JudgedWorkload): boolean {
  return (
    workload.dataplane === 'ambient' ||
    workload.requested.dataplane === 'ambient'
  );
}

/** Whether any control plane of the cluster looks at the namespace. */
function discoveredFact(
  inventory: Inventory,
  mesh: ClusterMesh | undefined,
  cluster: string,
  object: FleetObject | undefined,
  namespace: { name: string; labels: Readonly<Record<string, string>> },
): Fact<boolean> {
  if (!mesh || mesh.revisions.length === 0) {
    return unknown(
      'not-reported',
      mesh ? 'no Istio control plane was found' : 'the mesh is not known yet',
    );
  }
  if (!object) {
    const gap = gapIn(inventory, 'Namespace', cluster);
    if (gap) {
      return gap;
    }
  }
  const labels = {
    'kubernetes.io/metadata.name': namespace.name,
    ...namespace.labels,
  };
  const answers = mesh.revisions.map(({ discoverySelectors: selectors }) => {
    if (isUnknown(selectors)) {
      return selectors;
    }
    return (
      selectors.length === 0 ||
      selectors.some(selector => selects(selector, labels, 'everything'))
    );
  });
  return answers.includes(true)
    ? true
    : answers.find(answer => isUnknown(answer)) ?? false;
}

function readServices(
  inventory: Inventory,
  mesh: ClusterMesh | undefined,
  namespace: {
    cluster: string;
    name: string;
    labels: Readonly<Record<string, string>>;
    annotations: Readonly<Record<string, string>>;
  },
  workloads: JudgedWorkload[],
): ServiceInstance[] {
  const { cluster } = namespace;
  const scope = { cluster, namespace: namespace.name };
  const services = inventory.list('Service', scope);
  if (services.length === 0) {
    return [];
  }
  const slices = slicesByService(
    inventory.list('EndpointSlice.discovery.k8s.io', scope),
  );
  const slicesGap = gapIn(inventory, 'EndpointSlice.discovery.k8s.io', cluster);
  const imports = importKinds.flatMap(kind => inventory.list(kind, scope));
  const derived = derivedNames(imports);
  const reachOf = reachReader(inventory, mesh, namespace, imports);
  const byLabel = workloadIndex(workloads);

  return services.map(service => {
    const { name } = service.metadata;
    const spec = mapOf(service.spec);
    const labels = labelsOf(service);
    const own = slices.get(name) ?? [];
    const type = typeOf(spec);
    const hasSelector = Object.keys(mapOf(spec.selector)).length > 0;
    const importName = derived.get(name);
    const artefact = importName
      ? {
          role: 'derived' as const,
          mirrorOf: {
            cluster,
            namespace: namespace.name,
            name: importName,
          },
        }
      : artefactOf(service);
    const behind = hasSelector ? byLabel(spec.selector) : [];
    const isStub =
      !hasSelector && own.length === 0 && !slicesGap && type !== 'ExternalName';
    const isIngress =
      behind.length > 0 &&
      behind.every(({ workload }) => workload.dataplane === 'gateway');
    const waypoint = resolveWaypoint(inventory, {
      cluster,
      namespace,
      labels,
      by: `Service/${name}`,
      serves: 'service',
      reported: service,
    });
    const createdAt = textOf(service.metadata.creationTimestamp);

    return {
      cluster,
      namespace: namespace.name,
      name,
      role: artefact?.role ?? roleOf(isIngress, isStub),
      type,
      ports: portsOf(spec),
      endpoints:
        type === 'ExternalName'
          ? { ready: 0, total: 0 }
          : factUnless(slicesGap, own.length > 0, () => countEndpoints(own)),
      workloads: behind.map(
        ({ workload }) => `${workload.kind}/${workload.name}`,
      ),
      dataplane: combine(
        behind.map(({ workload }) => workload.dataplane),
        unknown('not-reported', 'no workload is behind it in this cluster'),
      ),
      ...(waypoint && { waypoint }),
      labels: { ...labels },
      annotations: keptAnnotations(service),
      ...(createdAt && { createdAt }),
      ...(artefact?.mirrorOf && { mirrorOf: artefact.mirrorOf }),
      reach: reachOf(name, labels),
    };
  });
}

function roleOf(isGateway: boolean, isStub: boolean): ServiceInstance['role'] {
  if (isGateway) {
    return 'gateway';
  }
  return isStub ? 'stub' : 'backend';
}

function typeOf(spec: Readonly<Record<string, any>>): ServiceInstance['type'] {
  if (spec.type === 'ExternalName') {
    return 'ExternalName';
  }
  if (spec.clusterIP === 'None') {
    return 'Headless';
  }
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer'
    ? spec.type
    : 'ClusterIP';
}

function portsOf(spec: Readonly<Record<string, any>>): ServicePort[] {
  return mapsOf(spec.ports)
    .filter(port => numberOf(port.port) !== undefined)
    .map(port => {
      const name = textOf(port.name);
      const appProtocol = textOf(port.appProtocol);
      const targetPort = numberOf(port.targetPort) ?? textOf(port.targetPort);
      return {
        ...(name && { name }),
        port: port.port as number,
        protocol: textOf(port.protocol) ?? 'TCP',
        ...(appProtocol && { appProtocol }),
        ...(targetPort !== undefined && { targetPort }),
      };
    });
}

/** Long annotations (a tool's copy of the object) have no place in a view. */
function keptAnnotations(service: FleetObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotationsOf(service)).filter(
      ([key, value]) =>
        value.length <= 1024 &&
        key !== 'kubectl.kubernetes.io/last-applied-configuration',
    ),
  );
}

/** Finds the workloads of a Service's selector without asking each of them. */
function workloadIndex(workloads: JudgedWorkload[]) {
  const byPair = new Map<string, JudgedWorkload[]>();
  for (const judged of workloads) {
    const pairs = new Set(
      judged.labelSets.flatMap(labels =>
        Object.entries(labels).map(([key, value]) => `${key}=${value}`),
      ),
    );
    for (const pair of pairs) {
      const siblings = byPair.get(pair);
      if (siblings) {
        siblings.push(judged);
      } else {
        byPair.set(pair, [judged]);
      }
    }
  }
  return (selector: unknown): JudgedWorkload[] => {
    const entries = Object.entries(mapOf(selector));
    let candidates: JudgedWorkload[] | undefined;
    for (const [key, value] of entries) {
      if (typeof value !== 'string') {
        return [];
      }
      const found = byPair.get(`${key}=${value}`) ?? [];
      if (!candidates || found.length < candidates.length) {
        candidates = found;
      }
    }
    return (candidates ?? []).filter(({ labelSets }) =>
      labelSets.some(labels => serviceSelects(selector, labels)),
    );
  };
}

function reachReader(
  inventory: Inventory,
  mesh: ClusterMesh | undefined,
  namespace: {
    cluster: string;
    name: string;
    labels: Readonly<Record<string, string>>;
    annotations: Readonly<Record<string, string>>;
  },
  imports: readonly FleetObject[],
) {
  const { cluster } = namespace;
  const exported = new Set(
    exportKinds
      .flatMap(kind =>
        inventory.list(kind, { cluster, namespace: namespace.name }),
      )
      .map(one => one.metadata.name),
  );
  const importsByName = new Map(imports.map(one => [one.metadata.name, one]));
  const exportGap = gapIn(inventory, exportKinds[0], cluster);
  const importGap = gapIn(inventory, importKinds[0], cluster);
  const cilium = mesh?.cilium;
  const globalAnnotation =
    namespace.annotations['clustermesh.cilium.io/global'];
  const scopes =
    mesh?.revisions[0]?.serviceScopes ??
    unknown('not-reported', 'no Istio control plane was found');

  return (
    name: string,
    labels: Readonly<Record<string, string>>,
  ): ServiceReach => {
    const found = importsByName.get(name);
    const clusters = mapsOf(found?.status?.clusters)
      .map(one => stringOf(one.cluster))
      .filter(one => one !== undefined);
    return {
      exported: factUnless(exportGap, exported.has(name), () =>
        exported.has(name),
      ),
      imported: factUnless(
        importGap,
        found !== undefined,
        () => found !== undefined,
      ),
      ...(clusters.length > 0 && { importedFrom: clusters }),
      ambientScope: isUnknown(scopes)
        ? scopes
        : ambientScopeOf(scopes, namespace.labels, labels),
      ...(cilium && {
        ciliumNamespaceGlobal:
          globalAnnotation === undefined
            ? cilium.defaultGlobalNamespace
            : globalAnnotation === 'true',
      }),
    };
  };
}

function ambientScopeOf(
  scopes: Array<{
    scope: 'LOCAL' | 'GLOBAL';
    namespaceSelector?: unknown;
    servicesSelector?: unknown;
  }>,
  namespaceLabels: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
): 'local' | 'global' {
  const match = scopes.find(
    ({ namespaceSelector, servicesSelector }) =>
      selects(namespaceSelector, namespaceLabels, 'everything') &&
      selects(servicesSelector, labels, 'everything'),
  );
  return match?.scope === 'GLOBAL' ? 'global' : 'local';
}
